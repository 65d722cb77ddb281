#pragma once
// The attention block of DirectNet, but for its two linear layers, which are block kernels. Same
// memory order, same processors as direct_kernels.h. Private to engine/net.

#include <cstdint>

namespace az::direct {

// Layer norm over the channels of each cell and row. REQUIRES: channels a multiple of 32.
struct LayerNormJob {
  const std::uint16_t* input = nullptr;  // [cells][group][channels]
  std::uint16_t* out = nullptr;          // the same shape
  const float* weight = nullptr;         // [channels]
  const float* bias = nullptr;           // [channels]
  int cells = 0;
  int group = 0;  // rows of a whole group
  int rows = 0;   // of this one
  int channels = 0;
};
void LayerNorm(const LayerNormJob& job);

// softmax(scale q k^T + bias) v of each head and row.
struct MixJob {
  const std::uint16_t* qkv =
      nullptr;  // [cells][group][3 channels]: q, k, v, each [heads][channels / heads]
  std::uint16_t* out = nullptr;  // [cells][group][channels]
  const float* bias = nullptr;   // [heads][cells][PaddedCells(cells)], -infinity in the padding
  float* scratch = nullptr;      // MixScratchFloats, aligned to 64 bytes
  float scale = 1.0f;
  int cells = 0;
  int group = 0;
  int rows = 0;
  int channels = 0;
  int heads = 0;
};
constexpr int PaddedCells(int cells) { return (cells + 15) / 16 * 16; }
constexpr int PaddedHead(int head_channels) { return (head_channels + 15) / 16 * 16; }
constexpr int MixScratchFloats(int cells, int head_channels) {
  return (2 * PaddedHead(head_channels) + 1) * PaddedCells(cells);
}
void Mix(const MixJob& job);

}  // namespace az::direct
