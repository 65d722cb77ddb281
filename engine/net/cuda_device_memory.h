#pragma once
// A GPU's memory as DeviceMemory: LibTorch's allocator statistics, the CUDA runtime's free and
// total bytes, and NVML's bytes of this process. Built with AZ_CUDA. Has not run on a GPU.

#include <memory>

#include "base/thread_annotations.h"
#include "scheduler/device_memory.h"

namespace az {

// Makes the device's context if there is none yet. `captures` is held by whoever captures a graph on
// this device, and by Synchronize: waiting for the whole device breaks a capture, whatever its mode,
// and fails. It outlives the memory. REQUIRES: index < CudaDeviceCount().
std::unique_ptr<DeviceMemory> MakeCudaDeviceMemory(int index, Mutex& captures);

}  // namespace az
