#pragma once
// A GPU's memory as DeviceMemory: LibTorch's allocator statistics, the CUDA runtime's free and
// total bytes, and NVML's bytes of this process. Built with AZ_CUDA. Has not run on a GPU.

#include <memory>

#include "scheduler/device_memory.h"

namespace az {

// REQUIRES: index < CudaDeviceCount(). Makes the device's context if there is none yet.
std::unique_ptr<DeviceMemory> MakeCudaDeviceMemory(int index);

}  // namespace az
