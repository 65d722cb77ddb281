#include "engine/net/network.h"

#include <ATen/ops/relu.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/tanh.h>
#include <torch/nn/init.h>

#include <cstdint>
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

}  // namespace

bool IsTrainingOnly(std::string_view parameter) {
  return parameter.starts_with(kOpponentLinear) || parameter.starts_with(kShortTermLinear);
}

ConvNormImpl::ConvNormImpl(const Options& options) {
  conv_ = register_module(
      "conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(options.in, options.out, options.kernel)
                                    .padding(options.kernel / 2)
                                    .bias(false)));
  norm_ = register_module("norm", torch::nn::BatchNorm2d(options.out));
  torch::nn::init::kaiming_normal_(conv_->weight, 0.0, torch::kFanOut, torch::kReLU);
}

torch::Tensor ConvNormImpl::forward(const torch::Tensor& x, RunningStatistics statistics) {
  const torch::Tensor y = conv_->forward(x);
  if (statistics == RunningStatistics::kUpdate || !norm_->is_training()) return norm_->forward(y);
  // The same numbers as norm_'s, as training normalises by the batch; its buffers are not touched.
  return torch::nn::functional::detail::batch_norm(y, {}, {}, norm_->weight, norm_->bias,
                                                   /*training=*/true, /*momentum=*/0.0,
                                                   norm_->options.eps());
}

void ConvNormImpl::ZeroScale() { torch::nn::init::zeros_(norm_->weight); }

ResidualBlockImpl::ResidualBlockImpl(int filters) {
  conv1_ = register_module("conv1", ConvNorm(ConvNormImpl::Options{filters, filters, 3}));
  conv2_ = register_module("conv2", ConvNorm(ConvNormImpl::Options{filters, filters, 3}));
  conv2_->ZeroScale();
}

torch::Tensor ResidualBlockImpl::forward(const torch::Tensor& x, RunningStatistics statistics) {
  const torch::Tensor middle = at::relu(conv1_->forward(x, statistics));
  return at::relu(conv2_->forward(middle, statistics).add(x));
}

AttentionBlockImpl::AttentionBlockImpl(const NetShape& shape) : heads_(shape.heads) {
  const std::int64_t filters = shape.filters;
  norm_ = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({filters})));
  qkv_ = register_module("qkv", MakeLinear(filters, 3 * filters));
  out_ = register_module("out", MakeLinear(filters, filters));
  torch::nn::init::xavier_normal_(qkv_->weight);
  torch::nn::init::zeros_(out_->weight);
  bias_ = register_parameter("bias", torch::zeros({shape.heads, shape.cells(), shape.cells()}));
}

torch::Tensor AttentionBlockImpl::forward(const torch::Tensor& x) {
  const std::int64_t rows = x.size(0);
  const std::int64_t filters = x.size(1);
  const std::int64_t cells = x.size(2) * x.size(3);
  const torch::Tensor tokens = norm_->forward(x.flatten(2).transpose(1, 2));  // [rows, cells, C]
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
    blocks_.push_back(register_module(StrCat("block", i), ResidualBlock(shape.filters)));
  }
  for (int i = 0; i < shape.attention_blocks; ++i) {
    attention_.push_back(register_module(StrCat("attention", i), AttentionBlock(shape)));
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
  const std::size_t i = static_cast<std::size_t>(index);
  if (i < blocks_.size()) return blocks_[i]->forward(x, statistics);
  return attention_[i - blocks_.size()]->forward(x);
}

std::vector<torch::Tensor> NetworkImpl::StageParameters(int index) const {
  const std::size_t i = static_cast<std::size_t>(index);
  if (i < blocks_.size()) return blocks_[i]->parameters();
  return attention_[i - blocks_.size()]->parameters();
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
