#pragma once
// CpuUnit: the part of a processor that multiplies bf16. LibTorch's layouts and our own kernels
// (engine/net) depend on it, and so do their bytes (footprint.h).

#include <cstdint>

namespace az {

enum class CpuUnit : std::uint8_t {
  kVectors,  // AVX-512 or less
  kTiles,    // AMX
};

}  // namespace az
