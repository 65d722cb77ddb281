#include "engine/net/direct_net.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/check.h"
#include "engine/net/direct_attention.h"
#include "engine/net/direct_kernels.h"
#include "engine/net/direct_layer.h"
#include "engine/net/direct_pool.h"
#include "engine/net/net_spec.h"
#include "engine/net/plane_unpack.h"
#include "engine/net/value_head.h"

namespace az {
namespace {

using direct::Aligned;
using direct::Layer;
using direct::Site;
using direct::Then;

// Groups that go through all layers together: their activations stay in the second-level cache, and
// a layer's weights are used for all of them at once. Measured with vectors: 2 to 8 are within 3 %
// of each other, 1 loses 5 % on small networks.
constexpr int kChunkGroups = 2;

struct Attention {
  Attention(const FoldedAttention& from, const Site& site)
      : norm_weight(from.norm_weight.const_data_ptr<float>(),
                    from.norm_weight.const_data_ptr<float>() + site.shape.filters),
        norm_bias(from.norm_bias.const_data_ptr<float>(),
                  from.norm_bias.const_data_ptr<float>() + site.shape.filters),
        qkv(Layer::PerCell(from.qkv, site)),
        out(Layer::PerCell(from.out, site)) {
    const NetShape& shape = site.shape;
    const std::size_t cells = static_cast<std::size_t>(shape.cells());
    const std::size_t padded = static_cast<std::size_t>(direct::PaddedCells(shape.cells()));
    const std::size_t lines = static_cast<std::size_t>(shape.heads) * cells;
    bias.assign(lines * padded, -std::numeric_limits<float>::infinity());
    const float* source = from.bias.const_data_ptr<float>();
    for (std::size_t i = 0; i < lines; ++i) {
      std::copy_n(source + i * cells, cells,
                  bias.begin() + static_cast<std::ptrdiff_t>(i * padded));
    }
  }
  std::vector<float> norm_weight;
  std::vector<float> norm_bias;
  std::vector<float> bias;  // [heads][cells][padded cells]
  Layer qkv;
  Layer out;
};

// Between a pooling block's convolutions. Rows of `weight` are as long as the second one's input,
// filled up with zeros.
struct Pool {
  Pool(const FoldedLinear& from, const NetShape& shape, int inputs)
      : stride(direct::PaddedPool(inputs)) {
    const std::size_t kept = static_cast<std::size_t>(shape.kept());
    const std::size_t sums = 2 * static_cast<std::size_t>(shape.pooled());
    const auto row = static_cast<std::size_t>(stride);
    weight.assign(sums * row, 0.0f);
    bias.assign(row, 0.0f);
    std::copy_n(from.bias.const_data_ptr<float>(), kept, bias.begin());
    const auto values = from.weight.accessor<float, 2>();
    for (std::size_t i = 0; i < sums; ++i) {
      for (std::size_t k = 0; k < kept; ++k) {
        weight[i * row + k] = values[static_cast<std::int64_t>(k)][static_cast<std::int64_t>(i)];
      }
    }
  }
  int stride = 0;
  std::vector<float> weight;  // [2 pooled][stride]
  std::vector<float> bias;    // [stride]
};

struct Block {
  Block(const FoldedBlock& from, const Site& site)
      : conv1(Layer::Conv(from.conv1, site, site.shape.filters)),
        conv2(
            Layer::Conv(from.conv2, site,
                        direct::PaddedInput(from.pool ? site.shape.kept() : site.shape.filters))) {
    if (from.pool) pool.emplace(*from.pool, site.shape, conv2.in_channels());
  }
  Layer conv1;
  std::optional<Pool> pool;
  Layer conv2;
};

class DirectNet final : public InferenceNet {
 public:
  DirectNet(const FoldedNet& net, const Site& site)
      : shape_(net.shape),
        unit_(site.unit),
        group_(direct::GroupOf(site.unit)),
        stem_(Layer::Conv(net.stem, site, direct::PaddedInput(shape_.planes))),
        policy_conv_(Layer::Conv(net.policy_conv, site, shape_.filters)),
        value_conv_(Layer::Conv(net.value_conv, site, shape_.filters)),
        policy_linear_(Layer::WholeBoard(net.policy_linear, site, policy_conv_.out_channels())),
        value_linear1_(Layer::WholeBoard(net.value_linear1, site, value_conv_.out_channels())),
        value_linear2_(net.value_linear2) {
    for (const FoldedBlock& block : net.blocks) blocks_.emplace_back(block, site);
    for (const FoldedAttention& layer : net.attention) attention_.emplace_back(layer, site);
  }

  Result<void> Forward(const InferenceBatch& batch, InferenceScratch& scratch) const override {
    const Buffers buffers = Lay(scratch);
    const std::size_t words =
        static_cast<std::size_t>(PlaneShape{shape_.planes, shape_.rows, shape_.cols}.words());
    for (int row = 0; row < batch.rows; row += ChunkRows()) {
      const auto at = static_cast<std::size_t>(row);
      const int rows = std::min(ChunkRows(), batch.rows - row);
      Unpack(batch.planes + at * words, rows, buffers);
      const std::uint16_t* x = Trunk(rows, buffers);
      Heads(x, rows, buffers, batch.logits + at * static_cast<std::size_t>(shape_.actions),
            batch.values + at);
    }
    return {};
  }
  const NetShape& shape() const override { return shape_; }
  std::string_view kernels() const override {
    return unit_ == CpuUnit::kTiles ? "tiles bf16" : "direct bf16";
  }

 private:
  int ChunkRows() const { return kChunkGroups * group_; }

  // Parts of the scratch memory, for a chunk.
  struct Buffers {
    std::uint16_t* planes = nullptr;  // [group][cells][rows][stem's inputs]
    std::uint16_t* a = nullptr;       // [group][cells][rows][filters]
    std::uint16_t* b = nullptr;       // the same
    std::uint16_t* wide = nullptr;    // queries, keys and values, pooled, or a head's features
    float* floats = nullptr;  // [group][rows][outputs]: logits, hidden units; scratch of Mix
  };

  Buffers Lay(InferenceScratch& scratch) const {
    const auto rows = static_cast<std::size_t>(ChunkRows());
    const std::size_t cells = rows * static_cast<std::size_t>(shape_.cells());
    const auto channels = [](int count) { return static_cast<std::size_t>(count); };
    const int wide = std::max({policy_conv_.out_channels(), value_conv_.out_channels(),
                               shape_.pool_blocks() > 0 ? direct::PaddedInput(shape_.kept()) : 0,
                               attention_.empty() ? 0 : 3 * shape_.filters});
    const int outputs = std::max(policy_linear_.out_channels(), value_linear1_.out_channels());
    const int mix = attention_.empty()
                        ? 0
                        : direct::MixScratchFloats(shape_.cells(), shape_.filters / shape_.heads);
    std::size_t bytes = 0;
    const auto take = [&bytes](std::size_t size) {
      const std::size_t at = bytes;
      bytes += (size + 63) / 64 * 64;
      return at;
    };
    const std::size_t planes = take(2 * cells * channels(stem_.in_channels()));
    const std::size_t a = take(2 * cells * channels(shape_.filters));
    const std::size_t b = take(2 * cells * channels(shape_.filters));
    const std::size_t features = take(2 * cells * channels(wide));
    const std::size_t floats =
        take(sizeof(float) * std::max(rows * channels(outputs), channels(mix)));
    std::byte* memory = scratch.Get(bytes);
    const auto bf16 = [memory](std::size_t at) {
      return reinterpret_cast<std::uint16_t*>(memory + at);
    };
    return {bf16(planes), bf16(a), bf16(b), bf16(features),
            reinterpret_cast<float*>(memory + floats)};
  }

  void Unpack(const std::uint64_t* planes, int rows, const Buffers& buffers) const {
    constexpr std::uint16_t kOne = 0x3F80;
    const auto cells = static_cast<std::size_t>(shape_.cells());
    const std::size_t words = (cells + 63) / 64;
    const std::uint64_t last_word = LastWordMask(shape_.cells());  // see plane_unpack.h
    const auto channels = static_cast<std::size_t>(stem_.in_channels());
    const auto size = static_cast<std::size_t>(group_);
    const std::size_t groups = (static_cast<std::size_t>(rows) + size - 1) / size;
    std::fill_n(buffers.planes, groups * cells * size * channels, std::uint16_t{0});
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      std::uint16_t* out = buffers.planes + (row / size * cells * size + row % size) * channels;
      for (std::size_t plane = 0; plane < static_cast<std::size_t>(shape_.planes); ++plane) {
        for (std::size_t word = 0; word < words; ++word) {
          const std::uint64_t on_board = word + 1 == words ? last_word : ~std::uint64_t{0};
          for (std::uint64_t bits = *planes++ & on_board; bits != 0; bits &= bits - 1) {
            const auto cell = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
            out[cell * size * channels + plane] = kOne;
          }
        }
      }
    }
  }

  // Gives the trunk's output, in one of the buffers.
  const std::uint16_t* Trunk(int rows, const Buffers& buffers) const {
    std::uint16_t* x = buffers.a;
    std::uint16_t* other = buffers.b;
    stem_.Run({buffers.planes, nullptr, x}, rows, Then::kRelu);
    for (const Block& block : blocks_) {
      block.conv1.Run({x, nullptr, other}, rows, block.pool ? Then::kNone : Then::kRelu);
      if (block.pool) PoolInto(buffers.wide, {block, other}, rows);
      const std::uint16_t* middle = block.pool ? buffers.wide : other;
      block.conv2.Run({middle, x, x}, rows, Then::kAddRelu);  // each sum overwrites its residual
    }
    for (const Attention& layer : attention_) Attend(layer, rows, x, {other, buffers});
    return x;
  }

  struct Pooling {
    const Block& block;
    const std::uint16_t* sums = nullptr;  // of its first convolution
  };
  void PoolInto(std::uint16_t* out, const Pooling& from, int rows) const {
    const int inputs = from.block.conv2.in_channels();
    const auto size = static_cast<std::size_t>(shape_.cells() * group_);
    ForEachGroup(rows, [&](std::size_t group, int count) {
      direct::Pool({from.sums + group * size * static_cast<std::size_t>(shape_.filters),
                    out + group * size * static_cast<std::size_t>(inputs),
                    from.block.pool->weight.data(), from.block.pool->bias.data(), shape_.cells(),
                    group_, count, shape_.filters, shape_.pooled(), inputs});
    });
  }

  struct AttentionBuffers {
    std::uint16_t* normed = nullptr;  // also takes the mixed values
    const Buffers& rest;
  };
  void Attend(const Attention& layer, int rows, std::uint16_t* x,
              const AttentionBuffers& buffers) const {
    const std::size_t group_size =
        static_cast<std::size_t>(shape_.cells() * group_ * shape_.filters);
    ForEachGroup(rows, [&](std::size_t group, int count) {
      direct::LayerNorm({x + group * group_size, buffers.normed + group * group_size,
                         layer.norm_weight.data(), layer.norm_bias.data(), shape_.cells(), group_,
                         count, shape_.filters});
    });
    layer.qkv.Run({buffers.normed, nullptr, buffers.rest.wide}, rows, Then::kNone);
    const auto head_channels = static_cast<float>(shape_.filters / shape_.heads);
    ForEachGroup(rows, [&](std::size_t group, int count) {
      direct::Mix({buffers.rest.wide + 3 * group * group_size, buffers.normed + group * group_size,
                   layer.bias.data(), buffers.rest.floats, 1.0f / std::sqrt(head_channels),
                   shape_.cells(), group_, count, shape_.filters, shape_.heads});
    });
    layer.out.Run({buffers.normed, x, x}, rows, Then::kAdd);
  }

  // f(group, rows of it that kernels compute)
  template <class F>
  void ForEachGroup(int rows, F&& f) const {
    std::size_t group = 0;
    for (int left = rows; left > 0; left -= group_, ++group) {
      f(group, direct::KernelRows(std::min(left, group_)));
    }
  }

  void Heads(const std::uint16_t* x, int rows, const Buffers& buffers, float* logits,
             float* values) const {
    policy_conv_.Run({x, nullptr, buffers.wide}, rows, Then::kRelu);
    policy_linear_.Run({buffers.wide, nullptr, buffers.floats}, rows, Then::kFloat);
    const auto actions = static_cast<std::size_t>(shape_.actions);
    const auto logit_stride = static_cast<std::size_t>(policy_linear_.out_channels());
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      std::copy_n(buffers.floats + row * logit_stride, actions, logits + row * actions);
    }
    value_conv_.Run({x, nullptr, buffers.wide}, rows, Then::kRelu);
    value_linear1_.Run({buffers.wide, nullptr, buffers.floats}, rows, Then::kFloatRelu);
    value_linear2_.Values(buffers.floats, rows, value_linear1_.out_channels(), values);
  }

  NetShape shape_;
  CpuUnit unit_;
  int group_;  // rows
  Layer stem_;
  std::vector<Block> blocks_;
  std::vector<Attention> attention_;
  Layer policy_conv_;
  Layer value_conv_;
  Layer policy_linear_;
  Layer value_linear1_;
  ValueHead value_linear2_;
};

}  // namespace

bool DirectNetRuns(const NetShape& shape) {
  return CpuHasFastBf16() && shape.filters % direct::kOutputs == 0 &&
         direct::PaddedInput(shape.filters) == shape.filters &&
         direct::PaddedInput(shape.planes) != 0 &&
         direct::PaddedInput(direct::PaddedOutput(shape.policy_filters)) ==
             direct::PaddedOutput(shape.policy_filters) &&
         direct::PaddedInput(direct::PaddedOutput(shape.value_filters)) ==
             direct::PaddedOutput(shape.value_filters);
}

std::unique_ptr<const InferenceNet> MakeDirectNet(const FoldedNet& net, CpuUnit unit) {
  AZ_CHECK(DirectNetRuns(net.shape) && (unit == CpuUnit::kVectors || CpuHasTiles()));
  return std::make_unique<DirectNet>(net, Site{net.shape, unit});
}

}  // namespace az
