#include "engine/net/direct_layer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"

namespace az::direct {

std::uint16_t ToBf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

int PaddedInput(int channels) {
  constexpr int kMost = 256;
  for (int padded = std::max(channels, 1); padded <= kMost; ++padded) {
    if (FindVectorKernel(padded) != nullptr) return padded;
  }
  return 0;
}

Layer::Layer(int in_channels, int outputs, const Site& site)
    : in_channels_(in_channels),
      out_channels_(PaddedOutput(outputs)),
      input_cells_(site.shape.cells()),
      group_(GroupOf(site.unit)),
      kernel_(site.unit == CpuUnit::kTiles ? FindTileKernel(in_channels)
                                           : FindVectorKernel(in_channels)) {
  AZ_CHECK(kernel_ != nullptr) << in_channels << " channels";
}

void Layer::PackBias(const at::Tensor& bias) {
  bias_ = Aligned<float>(static_cast<std::size_t>(out_channels_));
  std::copy_n(bias.const_data_ptr<float>(), bias.numel(), bias_.data());
}

void Layer::PackTap(const at::Tensor& weight, int tap) {
  const auto pairs = static_cast<std::size_t>(in_channels_ / 2);
  if (tap == 0) {
    weights_ = Aligned<std::uint32_t>(static_cast<std::size_t>(out_channels_ * tap_kinds_) * pairs);
  }
  const auto values = weight.accessor<float, 2>();
  for (std::int64_t output = 0; output < weight.size(0); ++output) {
    const auto block = static_cast<std::size_t>(output / kOutputs);
    const auto lane = static_cast<std::size_t>(output % kOutputs);
    std::uint32_t* to =
        weights_.data() +
        (block * static_cast<std::size_t>(tap_kinds_) + static_cast<std::size_t>(tap)) * pairs *
            kOutputs +
        lane;
    for (std::int64_t channel = 0; channel < weight.size(1); ++channel) {
      const std::uint32_t bits = ToBf16(values[output][channel]);
      to[static_cast<std::size_t>(channel / 2) * kOutputs] |= bits << (channel % 2 == 0 ? 0 : 16);
    }
  }
}

void Layer::AddTap(int input_cell, int tap) {
  taps_.push_back({input_cell * group_ * in_channels_, tap * in_channels_ / 2 * kOutputs});
}

Layer Layer::Conv(const FoldedConv& conv, const Site& site, int in_channels) {
  const NetShape& shape = site.shape;
  const int kernel = static_cast<int>(conv.weight.size(2));
  const int reach = kernel / 2;
  Layer layer(in_channels, static_cast<int>(conv.weight.size(0)), site);
  layer.tap_kinds_ = kernel * kernel;
  layer.PackBias(conv.bias);
  for (int tap = 0; tap < layer.tap_kinds_; ++tap) {
    layer.PackTap(conv.weight.select(3, tap % kernel).select(2, tap / kernel), tap);
  }
  for (int row = 0; row < shape.rows; ++row) {
    for (int col = 0; col < shape.cols; ++col) {
      const std::size_t before = layer.taps_.size();
      for (int tap = 0; tap < layer.tap_kinds_; ++tap) {
        const int from_row = row + tap / kernel - reach;
        const int from_col = col + tap % kernel - reach;
        if (from_row < 0 || from_row >= shape.rows || from_col < 0 || from_col >= shape.cols) {
          continue;
        }
        layer.AddTap(from_row * shape.cols + from_col, tap);
      }
      layer.tap_counts_.push_back(static_cast<std::int32_t>(layer.taps_.size() - before));
    }
  }
  return layer;
}

Layer Layer::PerCell(const FoldedLinear& linear, const Site& site) {
  return Conv({linear.weight.unsqueeze(2).unsqueeze(3), linear.bias}, site,
              static_cast<int>(linear.weight.size(1)));
}

Layer Layer::WholeBoard(const FoldedLinear& linear, const Site& site, int in_channels) {
  const int cells = site.shape.cells();
  Layer layer(in_channels, static_cast<int>(linear.weight.size(0)), site);
  layer.tap_kinds_ = cells;
  layer.PackBias(linear.bias);
  const at::Tensor by_cell = linear.weight.view({linear.weight.size(0), cells, -1});
  for (int cell = 0; cell < cells; ++cell) {
    layer.PackTap(by_cell.select(1, cell), cell);
    layer.AddTap(cell, cell);
  }
  layer.tap_counts_.push_back(cells);
  return layer;
}

void Layer::Run(const Buffers& buffers, int rows, Then then) const {
  const std::size_t block_weights =
      static_cast<std::size_t>(tap_kinds_ * (in_channels_ / 2) * kOutputs);
  const bool floats = then == Then::kFloat || then == Then::kFloatRelu;
  BlockJob job;
  job.input = buffers.input;
  job.taps = taps_.data();
  job.tap_counts = tap_counts_.data();
  job.cells = out_cells();
  job.out_channels = out_channels_;
  job.in_group = static_cast<long>(input_cells_) * group_ * in_channels_;
  job.out_group = static_cast<long>(out_cells()) * group_ * out_channels_;
  job.rows = rows;
  job.in_channels = in_channels_;
  job.then = then;
  for (int block = 0; block < out_channels_ / kOutputs; ++block) {
    const auto channel = static_cast<std::size_t>(block * kOutputs);
    job.weights = weights_.data() + static_cast<std::size_t>(block) * block_weights;
    job.bias = bias_.data() + channel;
    job.residual = buffers.residual == nullptr ? nullptr : buffers.residual + channel;
    job.out = floats ? static_cast<void*>(static_cast<float*>(buffers.out) + channel)
                     : static_cast<void*>(static_cast<std::uint16_t*>(buffers.out) + channel);
    kernel_(job);
  }
}

}  // namespace az::direct
