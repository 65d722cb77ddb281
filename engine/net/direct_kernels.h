#pragma once
// Kernels of DirectNet for processors with AVX512-BF16: every layer is a sum over taps of small
// matrix products, made for a group of rows at once and held in registers. Private to engine/net.
//
// Activations of a group:  bf16 [cell][kGroup rows][channels], so one cell of twelve positions lies
// together. Weights of a layer:      bf16 pairs [block][tap][channel pair][32 outputs], a block
// being 32 output channels. A convolution has a tap for each neighbour on the board (none for the
// zeros around it), a linear layer over the whole board one for each cell.

#include <cstdint>

namespace az::direct {

inline constexpr int kGroup = 12;    // rows of a group: 12 x 32 sums fill 24 of 32 vector registers
inline constexpr int kOutputs = 32;  // output channels of a block: two vector registers

struct Tap {
  std::int32_t input = 0;    // elements from the group's activations to the tap's cell
  std::int32_t weights = 0;  // pairs from the block's weights to the tap's
};

enum class Then : std::uint8_t {
  kRelu,       // bf16 out = relu(sum)
  kAddRelu,    // bf16 out = relu(sum + residual)
  kAdd,        // bf16 out = sum + residual
  kNone,       // bf16 out = sum
  kFloat,      // float out = sum
  kFloatRelu,  // float out = relu(sum)
};

// One block of output channels, all output cells, one group.
struct BlockJob {
  const std::uint16_t* input = nullptr;      // the group's activations
  const std::uint32_t* weights = nullptr;    // of this block
  const float* bias = nullptr;               // [32], of this block
  const Tap* taps = nullptr;                 // of all output cells, one after the other
  const std::int32_t* tap_counts = nullptr;  // [cells]
  int cells = 0;                             // of the output
  int out_channels = 0;                      // distance from row to row in `out` and `residual`
  const std::uint16_t* residual = nullptr;   // at this block's channels; like `out`
  void* out = nullptr;  // at this block's channels: [cells][kGroup][out_channels]
  Then then = Then::kRelu;
};
using BlockKernel = void (*)(const BlockJob& job);

// The kernel for groups of `rows` (4, 8 or 12) and this many input channels; null where there is
// none.
BlockKernel FindBlockKernel(int rows, int in_channels);

}  // namespace az::direct
