#pragma once
// What a processor multiplies bf16 in. LibTorch's layouts and our own kernels (engine/net) differ
// by it, and so do their bytes (footprint.h).

#include <cstdint>

namespace az {

enum class CpuUnit : std::uint8_t {
  kVectors,  // AVX-512 or less
  kTiles,    // AMX
};

}  // namespace az
