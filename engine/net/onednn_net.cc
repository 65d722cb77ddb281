#include "engine/net/onednn_net.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <c10/core/InferenceMode.h>

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "engine/net/network.h"
#include "engine/net/onednn_ops.h"
#include "engine/net/plane_unpack.h"
#include "engine/net/torch_guard.h"
#include "engine/net/value_head.h"

namespace az {
namespace {

struct Attention {
  Attention(const FoldedAttention& from, at::ScalarType type)
      : norm_weight(from.norm_weight.to(type)),
        norm_bias(from.norm_bias.to(type)),
        bias(from.bias.to(type).unsqueeze(0)),
        qkv(from.qkv, type),
        out(from.out, type) {}
  at::Tensor norm_weight;
  at::Tensor norm_bias;
  at::Tensor bias;  // [1, heads, cells, cells]
  OnednnLinear qkv;
  OnednnLinear out;
};

struct Block {
  Block(const FoldedBlock& from, const NetShape& shape, at::ScalarType type)
      : conv1(from.conv1, shape, type), conv2(from.conv2, shape, type) {
    if (from.pool) pool.emplace(*from.pool, type);
  }
  OnednnConv conv1;
  std::optional<OnednnLinear> pool;
  OnednnConv conv2;
};

class OnednnNet final : public InferenceNet {
 public:
  OnednnNet(const FoldedNet& net, at::ScalarType type)
      : shape_(net.shape),
        type_(type),
        stem_(net.stem, shape_, type),
        policy_conv_(net.policy_conv, shape_, type),
        value_conv_(net.value_conv, shape_, type),
        policy_linear_(net.policy_linear, type),
        value_linear1_(net.value_linear1, type),
        value_linear2_(net.value_linear2) {
    for (const FoldedBlock& block : net.blocks) blocks_.emplace_back(block, shape_, type);
    for (const FoldedAttention& layer : net.attention) attention_.emplace_back(layer, type);
  }

  Result<void> Forward(const InferenceBatch& batch, InferenceScratch& scratch) const override {
    (void)scratch;  // LibTorch allocates for itself
    return GuardTorch("forward", [&]() -> Result<void> {
      const c10::InferenceMode inference;
      at::Tensor x = Input(batch);
      x = stem_.Relu(x);
      for (const Block& block : blocks_) {
        x = block.conv2.AddRelu(block.pool ? PooledMiddle(block, x) : block.conv1.Relu(x), x);
      }
      for (const Attention& layer : attention_) x = Attend(layer, x);
      Heads(x, batch);
      return {};
    });
  }
  const NetShape& shape() const override { return shape_; }
  std::string_view kernels() const override {
    return type_ == at::kBFloat16 ? "onednn bf16" : "onednn fp32";
  }

 private:
  at::Tensor Input(const InferenceBatch& batch) const {
    const PlaneShape planes{shape_.planes, shape_.rows, shape_.cols};
    at::Tensor x = at::empty({batch.bucket, shape_.planes, shape_.rows, shape_.cols},
                             at::TensorOptions(type_), at::MemoryFormat::ChannelsLast);
    if (type_ == at::kFloat) {
      UnpackPlanes<float>(batch.planes, batch.bucket, planes,
                          {static_cast<float*>(x.data_ptr()), 1.0f, shape_.planes});
    } else {
      UnpackPlanes<std::uint16_t>(
          batch.planes, batch.bucket, planes,
          {static_cast<std::uint16_t*>(x.data_ptr()), 0x3F80, shape_.planes});
    }
    return x;
  }

  // The input of a pooling block's second convolution.
  at::Tensor PooledMiddle(const Block& block, const at::Tensor& x) const {
    const at::Tensor y = block.conv1.Plain(x);
    const at::Tensor sums = PoolBoard(at::relu(y.narrow(1, 0, shape_.pooled())));
    const at::Tensor added = block.pool->Plain(sums).view({x.size(0), shape_.kept(), 1, 1});
    return y.narrow(1, shape_.pooled(), shape_.kept()).add(added).relu_();
  }

  at::Tensor Attend(const Attention& layer, const at::Tensor& x) const {
    const std::int64_t rows = x.size(0);
    const std::int64_t cells = shape_.cells();
    const std::int64_t filters = shape_.filters;
    const at::Tensor tokens = x.permute({0, 2, 3, 1}).view({rows * cells, filters});
    const at::Tensor normed =
        at::layer_norm(tokens, {filters}, layer.norm_weight, layer.norm_bias, 1e-5, false);
    const at::Tensor qkv = layer.qkv.Plain(normed)
                               .view({rows, cells, 3, shape_.heads, filters / shape_.heads})
                               .permute({2, 0, 3, 1, 4});
    const at::Tensor mixed = at::scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], layer.bias)
                                 .transpose(1, 2)
                                 .reshape({rows * cells, filters});
    return layer.out.Add(mixed, tokens)
        .view({rows, shape_.rows, shape_.cols, filters})
        .permute({0, 3, 1, 2});
  }

  void Heads(const at::Tensor& x, const InferenceBatch& batch) const {
    const auto flat = [](const at::Tensor& t) {
      return t.permute({0, 2, 3, 1}).reshape({t.size(0), -1});
    };
    const at::Tensor logits =
        policy_linear_.Plain(flat(policy_conv_.Relu(x))).to(at::kFloat).contiguous();
    const at::Tensor hidden =
        value_linear1_.Relu(flat(value_conv_.Relu(x))).to(at::kFloat).contiguous();
    const auto rows = static_cast<std::size_t>(batch.rows);
    std::memcpy(batch.logits, logits.const_data_ptr(),
                rows * static_cast<std::size_t>(shape_.actions) * sizeof(float));
    value_linear2_.Values(static_cast<const float*>(hidden.const_data_ptr()), batch.rows,
                          value_linear2_.hidden(), batch.values);
  }

  NetShape shape_;
  at::ScalarType type_;
  OnednnConv stem_;
  std::vector<Block> blocks_;
  std::vector<Attention> attention_;
  OnednnConv policy_conv_;
  OnednnConv value_conv_;
  OnednnLinear policy_linear_;
  OnednnLinear value_linear1_;
  ValueHead value_linear2_;
};

}  // namespace

Result<std::unique_ptr<const InferenceNet>> MakeOnednnNet(const FoldedNet& net,
                                                          Precision precision) {
  const c10::InferenceMode inference;
  return std::unique_ptr<const InferenceNet>(
      std::make_unique<OnednnNet>(net, precision == Precision::kBf16 ? at::kBFloat16 : at::kFloat));
}

}  // namespace az
