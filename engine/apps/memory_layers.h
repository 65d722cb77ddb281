#pragma once
// The device's memory as the control channel tells it.

#include "engine/process/memory_messages.h"
#include "scheduler/device_memory.h"

namespace az {

// Unknown layers are -1.
MemoryLayersMessage LayersOf(const MemorySnapshot& snapshot);

}  // namespace az
