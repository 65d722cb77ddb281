#pragma once
// The CappedHeap as LibTorch's CPU allocator: every CPU tensor of the process, and oneDNN's
// scratchpads, are counted and kept to a cap. A refused allocation throws c10::OutOfMemoryError, as
// LibTorch's GPU allocator does.

#include "engine/net/capped_heap.h"

namespace az {

// Makes the process's heap LibTorch's CPU allocator, once, and returns it; later calls return the
// same. It lives until the process ends. Tensors made before keep their memory where it is.
// The first call must not run beside other uses of LibTorch: first thing in main.
CappedHeap& InstallCappedCpuAllocator();

// The heap when it is installed; else null, and CPU tensors are not counted.
CappedHeap* InstalledCpuHeap();

}  // namespace az
