#pragma once
// DirectLayer: one layer of DirectNet, its weights in the block kernels' order. Private to
// engine/net.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/net/direct_kernels.h"
#include "engine/net/folded_net.h"
#include "scheduler/cpu_unit.h"
#include "scheduler/net_shape.h"

namespace az::direct {

// An array aligned for the kernels. Thread-compatible.
template <class T>
class Aligned {
 public:
  explicit Aligned(std::size_t size = 0) : lines_((size * sizeof(T) + 63) / 64), size_(size) {}
  T* data() { return reinterpret_cast<T*>(lines_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(lines_.data()); }
  std::size_t size() const { return size_; }
  std::span<T> span() { return {data(), size_}; }

 private:
  struct alignas(64) Line {
    std::byte bytes[64] = {};
  };
  std::vector<Line> lines_;
  std::size_t size_ = 0;
};

std::uint16_t ToBf16(float value);  // rounded to nearest, ties to even; NaN stays NaN

// The smallest number of input channels >= `channels` that there is a kernel for; 0 where there is
// none.
int PaddedInput(int channels);
constexpr int PaddedOutput(int channels) { return (channels + kOutputs - 1) / kOutputs * kOutputs; }

// The rows that are computed for `rows` of a group: a multiple of 4. REQUIRES: rows >= 1.
constexpr int KernelRows(int rows) { return (rows + 3) / 4 * 4; }

// What a layer is made for.
struct Site {
  const NetShape& shape;
  CpuUnit unit = CpuUnit::kVectors;
};

// Immutable; Thread-safe.
class Layer {
 public:
  // A convolution on the board, 3x3 with zeros around it or 1x1. in_channels: of the activations,
  // >= the convolution's.
  static Layer Conv(const FoldedConv& conv, const Site& site, int in_channels);
  // The same linear layer at every cell.
  static Layer PerCell(const FoldedLinear& linear, const Site& site);
  // A linear layer of the whole board; features [cell][filter], in_channels >= filters a cell.
  static Layer WholeBoard(const FoldedLinear& linear, const Site& site, int in_channels);

  struct Buffers {
    const std::uint16_t* input = nullptr;     // of group 0; groups follow each other
    const std::uint16_t* residual = nullptr;  // like `out`; nullable unless `then` adds
    void* out = nullptr;
  };
  // Runs the groups, the last of which may be partial. A block's weights are used for all groups
  // before the next block's.
  void Run(const Buffers& buffers, int rows, Then then) const;

  int in_channels() const { return in_channels_; }
  int out_channels() const { return out_channels_; }  // padded
  int out_cells() const { return static_cast<int>(tap_counts_.size()); }

 private:
  Layer(int in_channels, int outputs, const Site& site);
  void PackBias(const at::Tensor& bias);
  // weight(output, channel) of a tap, from a tensor of two dimensions.
  void PackTap(const at::Tensor& weight, int tap);
  void AddTap(int input_cell, int tap);

  int in_channels_ = 0;
  int out_channels_ = 0;
  int input_cells_ = 0;
  int group_ = 0;      // rows
  int tap_kinds_ = 0;  // taps that have weights
  BlockKernel kernel_ = nullptr;
  Aligned<std::uint32_t> weights_;  // [block][tap][channel pair][32]
  Aligned<float> bias_;             // [out_channels]
  std::vector<Tap> taps_;
  std::vector<std::int32_t> tap_counts_;  // of each output cell
};

}  // namespace az::direct
