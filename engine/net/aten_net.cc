#include "engine/net/aten_net.h"

#include <ATen/ops/conv2d.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>

#include "base/check.h"
#include "engine/net/network.h"
#include "engine/net/tensor_unpack.h"
#include "games/game.h"

namespace az {
namespace {

template <class Layer>
at::Tensor Conv(const Layer& layer, const at::Tensor& x) {
  const std::int64_t padding = layer.weight.size(2) / 2;
  return at::conv2d(x, layer.weight, layer.bias, /*stride=*/1, padding);
}

// [rows, C, h, w] in channels-last memory to [rows, h * w * C], features [cell][filter].
at::Tensor CellMajor(const at::Tensor& x) {
  return x.permute({0, 2, 3, 1}).reshape({x.size(0), -1});
}

}  // namespace

AtenNet::AtenNet(const FoldedNet& net, at::ScalarType type, c10::Device device)
    : shape_(net.shape), type_(type), device_(device) {
  shifts_ = BitShifts(device);
  stem_ = KeepConv(net.stem);
  for (const FoldedBlock& block : net.blocks) {
    Block& to = blocks_.emplace_back();
    to.conv1 = KeepConv(block.conv1);
    if (block.pool) to.pool = KeepLinear(*block.pool, type);
    to.conv2 = KeepConv(block.conv2);
  }
  for (const FoldedAttention& layer : net.attention) {
    attention_.push_back({{Keep(layer.norm_weight, type), Keep(layer.norm_bias, type)},
                          KeepLinear(layer.qkv, type),
                          KeepLinear(layer.out, type),
                          Keep(layer.bias.unsqueeze(0), type)});
  }
  policy_conv_ = KeepConv(net.policy_conv);
  value_conv_ = KeepConv(net.value_conv);
  policy_linear_ = KeepLinear(net.policy_linear, at::kFloat);
  value_linear1_ = KeepLinear(net.value_linear1, at::kFloat);
  value_linear2_ = KeepLinear(net.value_linear2, at::kFloat);
}

void AtenNet::Assign(const AtenNet& other) {
  AZ_CHECK(shape_ == other.shape_ && kept_.size() == other.kept_.size());
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    kept_[i].copy_(other.kept_[i], /*non_blocking=*/true);
  }
}

AtenNet::Output AtenNet::Forward(const at::Tensor& bits) const {
  const PlaneShape planes{shape_.planes, shape_.rows, shape_.cols};
  at::Tensor x = Conv(stem_, UnpackBits(bits, shifts_, planes, type_)).relu_();
  for (const Block& block : blocks_) {
    const at::Tensor middle = block.pool ? PooledMiddle(block, x) : Conv(block.conv1, x).relu_();
    x = Conv(block.conv2, middle).add_(x).relu_();
  }
  for (const Attention& layer : attention_) x = Attend(layer, x);
  const at::Tensor policy = CellMajor(Conv(policy_conv_, x).relu_()).to(at::kFloat);
  const at::Tensor value = CellMajor(Conv(value_conv_, x).relu_()).to(at::kFloat);
  const at::Tensor hidden = at::linear(value, value_linear1_.weight, value_linear1_.bias).relu_();
  const at::Tensor chances =
      at::softmax(at::linear(hidden, value_linear2_.weight, value_linear2_.bias), 1);
  return Output{at::linear(policy, policy_linear_.weight, policy_linear_.bias).contiguous(),
                (chances.select(1, 0) - chances.select(1, 2)).contiguous()};
}

at::Tensor AtenNet::Keep(const at::Tensor& tensor, at::ScalarType type) {
  // A copy of its own even where nothing is converted, so that Assign never writes into shared
  // memory.
  kept_.push_back(tensor.to(device_, type).clone());
  return kept_.back();
}

AtenNet::Layer AtenNet::KeepConv(const FoldedConv& conv) {
  kept_.push_back(conv.weight.to(device_, type_).clone(at::MemoryFormat::ChannelsLast));
  const at::Tensor weight = kept_.back();
  return Layer{weight, Keep(conv.bias, type_)};
}

AtenNet::Layer AtenNet::KeepLinear(const FoldedLinear& linear, at::ScalarType type) {
  const at::Tensor weight = Keep(linear.weight, type);
  return Layer{weight, Keep(linear.bias, type)};
}

at::Tensor AtenNet::PooledMiddle(const Block& block, const at::Tensor& x) const {
  const at::Tensor y = Conv(block.conv1, x);
  const at::Tensor sums = PoolBoard(at::relu(y.narrow(1, 0, shape_.pooled())));
  const at::Tensor added = at::linear(sums, block.pool->weight, block.pool->bias);
  return y.narrow(1, shape_.pooled(), shape_.kept())
      .add(added.view({x.size(0), shape_.kept(), 1, 1}))
      .relu_();
}

at::Tensor AtenNet::Attend(const Attention& layer, const at::Tensor& x) const {
  const std::int64_t rows = x.size(0);
  const std::int64_t cells = shape_.cells();
  const std::int64_t filters = shape_.filters;
  const at::Tensor tokens = x.permute({0, 2, 3, 1}).reshape({rows, cells, filters});
  const at::Tensor normed =
      at::layer_norm(tokens, {filters}, layer.norm.weight, layer.norm.bias, 1e-5);
  const at::Tensor qkv = at::linear(normed, layer.qkv.weight, layer.qkv.bias)
                             .view({rows, cells, 3, shape_.heads, filters / shape_.heads})
                             .permute({2, 0, 3, 1, 4});
  // The operator repeats the bias for the rows itself, after it has padded it for its kernels.
  const at::Tensor mixed = at::scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], layer.bias)
                               .transpose(1, 2)
                               .reshape({rows, cells, filters});
  return (tokens + at::linear(mixed, layer.out.weight, layer.out.bias))
      .view({rows, shape_.rows, shape_.cols, filters})
      .permute({0, 3, 1, 2});
}

}  // namespace az
