#pragma once
// Converts the device's memory into its form on the control channel.

#include "engine/process/memory_messages.h"
#include "scheduler/device_memory.h"

namespace az {

// The message for a snapshot; unknown layers are -1.
MemoryLayersMessage LayersOf(const MemorySnapshot& snapshot);

}  // namespace az
