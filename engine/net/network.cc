#include "engine/net/network.h"

#include <ATen/ops/amax.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/split_with_sizes.h>
#include <ATen/ops/tanh.h>
#include <torch/nn/init.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/strings.h"
#include "engine/net/net_spec.h"

namespace az {
namespace {

constexpr double kHeadStd =
    0.01;  // of a head's last weights: logits of a new network stay within a few hundredths

torch::nn::Linear MakeLinear(std::int64_t in, std::int64_t out) {
  torch::nn::Linear linear(torch::nn::LinearOptions(in, out).bias(true));
  torch::nn::init::kaiming_normal_(linear->weight, 0.0, torch::kFanIn, torch::kReLU);
  torch::nn::init::zeros_(linear->bias);
  return linear;
}

torch::nn::Linear MakeHeadLinear(std::int64_t in, std::int64_t out) {
  torch::nn::Linear linear = MakeLinear(in, out);
  torch::nn::init::normal_(linear->weight, 0.0, kHeadStd);
  return linear;
}

constexpr const char* kOpponentLinear = "opponent_linear";
constexpr const char* kShortTermLinear = "short_term_linear";

torch::nn::Conv2d MakeConv(const ConvNormImpl::Options& options) {
  torch::nn::Conv2d conv(torch::nn::Conv2dOptions(options.in, options.out, options.kernel)
                             .padding(options.kernel / 2)
                             .bias(false));
  torch::nn::init::kaiming_normal_(conv->weight, 0.0, torch::kFanOut, torch::kReLU);
  return conv;
}

torch::Tensor Normalise(torch::nn::BatchNorm2d& norm, const torch::Tensor& y,
                        RunningStatistics statistics) {
  if (statistics == RunningStatistics::kUpdate || !norm->is_training()) return norm->forward(y);
  // The same numbers as norm's, as training normalises by the batch; its buffers are not touched.
  return torch::nn::functional::detail::batch_norm(y, {}, {}, norm->weight, norm->bias,
                                                   /*training=*/true, /*momentum=*/0.0,
                                                   norm->options.eps());
}

}  // namespace

bool IsTrainingOnly(std::string_view parameter) {
  return parameter.starts_with(kOpponentLinear) || parameter.starts_with(kShortTermLinear);
}

torch::Tensor PoolBoard(const torch::Tensor& x) {
  return at::cat({at::mean(x, {2, 3}), at::amax(x, {2, 3})}, 1);
}

torch::Tensor NormaliseInOneType(const torch::nn::LayerNorm& norm, const torch::Tensor& x) {
  return at::layer_norm(x, norm->options.normalized_shape(), norm->weight.to(x.scalar_type()),
                        norm->bias.to(x.scalar_type()), norm->options.eps());
}

ConvNormImpl::ConvNormImpl(const Options& options) {
  conv_ = register_module("conv", MakeConv(options));
  norm_ = register_module("norm", torch::nn::BatchNorm2d(options.out));
}

torch::Tensor ConvNormImpl::forward(const torch::Tensor& x, RunningStatistics statistics) {
  return Normalise(norm_, conv_->forward(x), statistics);
}

void ConvNormImpl::ZeroScale() { torch::nn::init::zeros_(norm_->weight); }

ResidualBlock::ResidualBlock(int filters) {
  conv1_ = register_module("conv1", ConvNorm(ConvNormImpl::Options{filters, filters, 3}));
  conv2_ = register_module("conv2", ConvNorm(ConvNormImpl::Options{filters, filters, 3}));
  conv2_->ZeroScale();
}

torch::Tensor ResidualBlock::forward(const torch::Tensor& x, RunningStatistics statistics) {
  const torch::Tensor middle = at::relu(conv1_->forward(x, statistics));
  return at::relu(conv2_->forward(middle, statistics).add(x));
}

GlobalPoolBlock::GlobalPoolBlock(const NetShape& shape)
    : pooled_(shape.pooled()), kept_(shape.kept()) {
  conv1_ = register_module("conv1", MakeConv({shape.filters, shape.filters, 3}));
  pool_norm_ = register_module("pool_norm", torch::nn::BatchNorm2d(pooled_));
  pool_ = register_module("pool", MakeLinear(2 * pooled_, kept_));
  norm_ = register_module("norm", torch::nn::BatchNorm2d(kept_));
  conv2_ =
      register_module("conv2", ConvNorm(ConvNormImpl::Options{shape.kept(), shape.filters, 3}));
  conv2_->ZeroScale();
}

torch::Tensor GlobalPoolBlock::forward(const torch::Tensor& x, RunningStatistics statistics) {
  const std::vector<torch::Tensor> parts =
      at::split_with_sizes(conv1_->forward(x), {pooled_, kept_}, 1);
  // A copy: batch norm is slow on every fourth part of memory.
  const torch::Tensor pooled = parts[0].contiguous(x.suggest_memory_format());
  const torch::Tensor seen = at::relu(Normalise(pool_norm_, pooled, statistics));
  const torch::Tensor added = pool_->forward(PoolBoard(seen)).view({x.size(0), kept_, 1, 1});
  const torch::Tensor middle = at::relu(Normalise(norm_, parts[1] + added, statistics));
  return at::relu(conv2_->forward(middle, statistics).add(x));
}

AttentionBlock::AttentionBlock(const NetShape& shape) : heads_(shape.heads) {
  const std::int64_t filters = shape.filters;
  norm_ = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({filters})));
  qkv_ = register_module("qkv", MakeLinear(filters, 3 * filters));
  out_ = register_module("out", MakeLinear(filters, filters));
  torch::nn::init::xavier_normal_(qkv_->weight);
  torch::nn::init::zeros_(out_->weight);
  bias_ = register_parameter("bias", torch::zeros({shape.heads, shape.cells(), shape.cells()}));
}

torch::Tensor AttentionBlock::forward(const torch::Tensor& x, RunningStatistics /*statistics*/) {
  const std::int64_t rows = x.size(0);
  const std::int64_t filters = x.size(1);
  const std::int64_t cells = x.size(2) * x.size(3);
  const torch::Tensor seen = x.flatten(2).transpose(1, 2);  // [rows, cells, C]
  // A bf16 training keeps the norms' weights in float32, which only the CPU's layer norm takes.
  const torch::Tensor tokens = x.is_cpu() ? norm_->forward(seen) : NormaliseInOneType(norm_, seen);
  const torch::Tensor qkv = qkv_->forward(tokens)
                                .view({rows, cells, 3, heads_, filters / heads_})
                                .permute({2, 0, 3, 1, 4});  // [3, rows, heads, cells, C / heads]
  const torch::Tensor mixed =
      at::scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], bias_.to(qkv.scalar_type()));
  const torch::Tensor out = out_->forward(mixed.transpose(1, 2).reshape({rows, cells, filters}));
  return x + out.transpose(1, 2).reshape(x.sizes());
}

NetworkImpl::NetworkImpl(const NetShape& shape) : shape_(shape) {
  const Result<void> valid = ValidateNetShape(shape);
  AZ_CHECK(valid.has_value()) << valid.error().message;
  stem_ = register_module("stem", ConvNorm(ConvNormImpl::Options{shape.planes, shape.filters, 3}));
  for (int i = 0; i < shape.res_blocks; ++i) {
    std::shared_ptr<TrunkBlock> block;
    if (shape.Pools(i)) {
      block = std::make_shared<GlobalPoolBlock>(shape);
    } else {
      block = std::make_shared<ResidualBlock>(shape.filters);
    }
    stages_.push_back(register_module(StrCat("block", i), block));
  }
  for (int i = 0; i < shape.attention_blocks; ++i) {
    stages_.push_back(
        register_module(StrCat("attention", i), std::make_shared<AttentionBlock>(shape)));
  }
  const int cells = shape.cells();
  policy_conv_ = register_module(
      "policy_conv", ConvNorm(ConvNormImpl::Options{shape.filters, shape.policy_filters, 1}));
  policy_linear_ =
      register_module("policy_linear", MakeHeadLinear(shape.policy_filters * cells, shape.actions));
  value_conv_ = register_module(
      "value_conv", ConvNorm(ConvNormImpl::Options{shape.filters, shape.value_filters, 1}));
  value_linear1_ =
      register_module("value_linear1", MakeLinear(shape.value_filters * cells, shape.value_hidden));
  value_linear2_ = register_module("value_linear2", MakeHeadLinear(shape.value_hidden, 3));
  // Last, so that the draws of what plays do not depend on them.
  if (shape.opponent_head) {
    opponent_linear_ = register_module(kOpponentLinear,
                                       MakeHeadLinear(shape.policy_filters * cells, shape.actions));
  }
  if (shape.short_term_head) {
    short_term_linear_ = register_module(kShortTermLinear, MakeHeadLinear(shape.value_hidden, 1));
  }
}

NetworkOutput NetworkImpl::forward(const torch::Tensor& planes) {
  torch::Tensor x = Stem(planes);
  for (int i = 0; i < num_stages(); ++i) x = Stage(i, x);
  return Heads(x);
}

torch::Tensor NetworkImpl::Stem(const torch::Tensor& planes, RunningStatistics statistics) {
  return at::relu(stem_->forward(planes, statistics));
}

torch::Tensor NetworkImpl::Stage(int index, const torch::Tensor& x, RunningStatistics statistics) {
  return stages_[static_cast<std::size_t>(index)]->forward(x, statistics);
}

std::vector<torch::Tensor> NetworkImpl::StageParameters(int index) const {
  return stages_[static_cast<std::size_t>(index)]->parameters();
}

// Flattens channel by channel, whatever the memory format, so that the linear weights mean
// [filter][cell].
NetworkOutput NetworkImpl::Heads(const torch::Tensor& x) {
  const torch::Tensor policy = at::relu(policy_conv_->forward(x)).flatten(1);
  const torch::Tensor value = at::relu(value_conv_->forward(x)).flatten(1);
  NetworkOutput output;
  output.policy_logits = policy_linear_->forward(policy);
  const torch::Tensor hidden = at::relu(value_linear1_->forward(value));
  output.value_logits = value_linear2_->forward(hidden);
  // Last, and so the first that go backward, when the others' activations are there anyway.
  if (opponent_linear_) output.opponent_logits = opponent_linear_->forward(policy);
  if (short_term_linear_) {
    output.short_term = at::tanh(short_term_linear_->forward(hidden).squeeze(1));
  }
  return output;
}

}  // namespace az
