#pragma once
// The CPU's memory as DeviceMemory: the capped heap's counts, and what the kernel says of this
// process and the machine. RAM outside tensors, as journals and windows, is in `ours` alone.

#include <memory>

#include "engine/net/capped_heap.h"
#include "scheduler/device_memory.h"

namespace az {

// `heap` outlives it; null: tensors are not counted (InstallCappedCpuAllocator was not called), so
// the allocator's layers are unknown and SetCap is kUnavailable.
std::unique_ptr<DeviceMemory> MakeCpuDeviceMemory(CappedHeap* heap);

}  // namespace az
