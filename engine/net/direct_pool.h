#pragma once
// The middle of a pooling block of DirectNet, between its two convolutions, which are block
// kernels. Same memory order, same processors as direct_kernels.h. Private to engine/net.

#include <cstdint>

namespace az::direct {

// out = relu(kept channels + pool of (mean, maximum) over the cells of relu(pooled channels)), each
// row for itself.
struct PoolJob {
  const std::uint16_t* input = nullptr;  // [cells][group][channels]: pooled ones, then kept ones
  std::uint16_t* out = nullptr;          // [cells][group][out_channels]: kept ones, then zeros
  const float* weight = nullptr;         // [2 pooled][PaddedPool(out_channels)]: means, maxima
  const float* bias = nullptr;           // [PaddedPool(out_channels)]
  int cells = 0;
  int group = 0;  // rows of a whole group
  int rows = 0;   // of this one
  int channels = 0;
  int pooled = 0;  // <= kMostPooled
  int out_channels = 0;
};
inline constexpr int kMostPooled = 64;
constexpr int PaddedPool(int channels) { return (channels + 15) / 16 * 16; }
void Pool(const PoolJob& job);

}  // namespace az::direct
