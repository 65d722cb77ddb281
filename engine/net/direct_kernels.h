#pragma once
// Kernels of DirectNet: every layer is a sum over taps of small matrix products, made for a group
// of rows at once and held in registers. There are two of each, for vector registers (AVX512-BF16)
// and for tile registers (AMX-BF16). Private to engine/net.
//
//   Activations of a group: bf16 [cell][row of the group][channels]
//   Weights of a layer:     bf16 pairs [block][tap][channel pair][32 outputs]
//
// So one cell of all positions of a group lies together. A block is 32 output channels. A
// convolution has a tap for each neighbour on the board (none for the zeros around it), a linear
// layer over the whole board one for each cell.

#include <cstdint>

#include "scheduler/cpu_unit.h"

namespace az::direct {

// Rows of a group.
inline constexpr int kVectorGroup = 12;  // 12 x 32 sums fill 24 of 32 vector registers
inline constexpr int kTileGroup = 16;    // a tile takes as long with fewer
constexpr int GroupOf(CpuUnit unit) { return unit == CpuUnit::kTiles ? kTileGroup : kVectorGroup; }

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

// One block of output channels, all output cells, all groups.
struct BlockJob {
  const std::uint16_t* input = nullptr;      // activations of group 0
  const std::uint32_t* weights = nullptr;    // of this block
  const float* bias = nullptr;               // [32], of this block
  const Tap* taps = nullptr;                 // of all output cells, one after the other
  const std::int32_t* tap_counts = nullptr;  // [cells]
  int cells = 0;                             // of the output
  int out_channels = 0;                      // distance from row to row in `out` and `residual`
  const std::uint16_t* residual = nullptr;   // at this block's channels; like `out`
  void* out = nullptr;  // at this block's channels: [group][cells][rows][out_channels]
  long in_group = 0;    // elements from group to group in `input`
  long out_group = 0;   // likewise in `out` and `residual`
  int rows = 0;         // of all groups; the last may be partial, and up to 3 more are computed
  int in_channels = 0;
  Then then = Then::kRelu;
};
using BlockKernel = void (*)(const BlockJob& job);

// The kernels for this many input channels; null where there is none. Both have the same.
BlockKernel FindVectorKernel(int in_channels);
BlockKernel FindTileKernel(int in_channels);

}  // namespace az::direct
