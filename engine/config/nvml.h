#pragma once
// A GPU's name and memory from NVIDIA's management library, loaded at run time: needs no CUDA,
// makes no CUDA context.

#include <optional>

#include "engine/config/machine.h"

namespace az {

// Empty when there is no driver, no such GPU, or the library answers oddly. Milliseconds.
std::optional<GpuFacts> ReadGpu(int index);

}  // namespace az
