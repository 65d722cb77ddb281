#include "engine/net/network.h"

#include <ATen/ops/abs.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/strings.h"
#include "engine/net/net_spec.h"
#include "tests/engine/net/net_testing.h"

namespace az {
namespace {

using testing::SmallShape;

torch::Tensor RandomPlanes(const NetShape& shape, int rows) {
  return at::randint(0, 2, {rows, shape.planes, shape.rows, shape.cols}, at::kFloat);
}

class NetworkOf : public ::testing::TestWithParam<NetShape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, NetworkOf,
                         ::testing::Values(SmallShape(), testing::PoolingShape()));

TEST_P(NetworkOf, AnswersNearUniformPolicyAndZeroValueWhenNew) {
  const at::NoGradGuard no_grad;
  for (const bool training : {true, false}) {
    torch::manual_seed(1);
    const NetShape& shape = GetParam();
    Network network(shape);
    network->train(training);
    const NetworkOutput out = network->forward(RandomPlanes(shape, 64));
    ASSERT_EQ(out.policy_logits.sizes(), (std::vector<std::int64_t>{64, 21}));
    ASSERT_EQ(out.value_logits.sizes(), (std::vector<std::int64_t>{64, 3}));
    const double uniform = -std::log(21.0);
    const torch::Tensor policy = at::log_softmax(out.policy_logits, 1);
    EXPECT_LT(at::abs(policy - uniform).max().item<double>(), 0.5);
    const torch::Tensor chances = at::softmax(out.value_logits, 1);
    const torch::Tensor value = chances.select(1, 0) - chances.select(1, 2);
    EXPECT_LT(at::abs(value).max().item<double>(), 0.15);
  }
}

TEST(Network, IsTheSameInOneCallAndStageByStage) {
  const at::NoGradGuard no_grad;
  torch::manual_seed(2);
  const NetShape shape = SmallShape();
  Network network(shape);
  network->eval();
  const torch::Tensor planes = RandomPlanes(shape, 5);
  const NetworkOutput whole = network->forward(planes);
  ASSERT_EQ(network->num_stages(), 3);
  torch::Tensor x = network->Stem(planes);
  for (int i = 0; i < network->num_stages(); ++i) x = network->Stage(i, x);
  const NetworkOutput parts = network->Heads(x);
  EXPECT_TRUE(whole.policy_logits.equal(parts.policy_logits));
  EXPECT_TRUE(whole.value_logits.equal(parts.value_logits));
}

TEST_P(NetworkOf, GivesEveryParameterAGradientAfterOneStep) {
  torch::manual_seed(3);
  const NetShape& shape = GetParam();
  Network network(shape);
  {
    const at::NoGradGuard no_grad;  // off the initial zeros, which hold back what lies behind them
    for (torch::Tensor& p : network->parameters()) p.add_(0.1 * at::randn_like(p));
  }
  const NetworkOutput out = network->forward(RandomPlanes(shape, 16));
  (out.policy_logits.square().sum() + out.value_logits.square().sum()).backward();
  for (const auto& item : network->named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_GT(item.value().grad().abs().max().item<double>(), 0.0) << item.key();
  }
}

TEST(Network, KeepsItsParameterNames) {
  const Network network(SmallShape());
  std::vector<std::string> names;
  for (const auto& item : network->named_parameters()) names.push_back(item.key());
  const std::vector<std::string> expected = {
      "stem.conv.weight",         "stem.norm.weight",         "stem.norm.bias",
      "block0.conv1.conv.weight", "block0.conv1.norm.weight", "block0.conv1.norm.bias",
      "block0.conv2.conv.weight", "block0.conv2.norm.weight", "block0.conv2.norm.bias",
      "block1.conv1.conv.weight", "block1.conv1.norm.weight", "block1.conv1.norm.bias",
      "block1.conv2.conv.weight", "block1.conv2.norm.weight", "block1.conv2.norm.bias",
      "attention0.bias",          "attention0.norm.weight",   "attention0.norm.bias",
      "attention0.qkv.weight",    "attention0.qkv.bias",      "attention0.out.weight",
      "attention0.out.bias",      "policy_conv.conv.weight",  "policy_conv.norm.weight",
      "policy_conv.norm.bias",    "policy_linear.weight",     "policy_linear.bias",
      "value_conv.conv.weight",   "value_conv.norm.weight",   "value_conv.norm.bias",
      "value_linear1.weight",     "value_linear1.bias",       "value_linear2.weight",
      "value_linear2.bias"};
  EXPECT_EQ(names, expected);
}

TEST(Network, HeadsOfTrainingComeLastAndOnlyWhereAskedFor) {
  NetShape shape = SmallShape();
  shape.opponent_head = shape.short_term_head = true;
  EXPECT_EQ(shape.Playing(), SmallShape());
  torch::manual_seed(4);
  Network with(shape);
  torch::manual_seed(4);
  Network without(SmallShape());
  with->eval();
  without->eval();
  const at::NoGradGuard no_grad;
  const torch::Tensor planes = RandomPlanes(shape, 6);
  const NetworkOutput out = with->forward(planes);
  const NetworkOutput plain = without->forward(planes);
  EXPECT_TRUE(out.policy_logits.equal(plain.policy_logits));
  EXPECT_TRUE(out.value_logits.equal(plain.value_logits));
  ASSERT_EQ(out.opponent_logits.sizes(), (std::vector<std::int64_t>{6, 21}));
  ASSERT_EQ(out.short_term.sizes(), (std::vector<std::int64_t>{6}));
  EXPECT_LT(at::abs(out.short_term).max().item<double>(), 0.2);
  EXPECT_FALSE(plain.opponent_logits.defined());
  EXPECT_FALSE(plain.short_term.defined());
  std::vector<std::string> more;
  for (const auto& item : with->named_parameters()) {
    if (IsTrainingOnly(item.key())) more.push_back(item.key());
  }
  EXPECT_EQ(more, (std::vector<std::string>{"opponent_linear.weight", "opponent_linear.bias",
                                            "short_term_linear.weight", "short_term_linear.bias"}));
  EXPECT_EQ(with->named_parameters().size(), without->named_parameters().size() + more.size());
}

TEST(Network, NamesThePartsOfAPoolingBlock) {
  const Network network(testing::PoolingShape());
  std::vector<std::string> names;
  for (const auto& item : network->named_parameters()) {
    if (item.key().starts_with("block1.")) names.push_back(item.key().substr(7));
  }
  const std::vector<std::string> expected = {
      "conv1.weight",      "pool_norm.weight", "pool_norm.bias", "pool.weight",
      "pool.bias",         "norm.weight",      "norm.bias",      "conv2.conv.weight",
      "conv2.norm.weight", "conv2.norm.bias"};
  EXPECT_EQ(names, expected);
}

TEST(Network, PoolsEveryNthBlock) {
  NetShape shape = SmallShape();
  shape.res_blocks = 7;
  shape.global_pool_every = 3;
  const Network network(shape);
  std::vector<int> pooling;
  for (int i = 0; i < shape.res_blocks; ++i) {
    const auto parameters = network->named_parameters();
    if (parameters.contains(StrCat("block", i, ".pool.weight"))) pooling.push_back(i);
  }
  EXPECT_EQ(pooling, (std::vector<int>{2, 5}));
  EXPECT_EQ(shape.pool_blocks(), 2);
}

// One row, channel and cell after the other, from the definition (docs/learning.md).
TEST(GlobalPoolBlock, AddsWhatThePooledChannelsSayAtEveryCell) {
  const at::NoGradGuard no_grad;
  const NetShape shape = testing::PoolingShape();
  Network network = testing::TrainedLikeNetwork(shape, 6);
  std::map<std::string, torch::Tensor> parts;
  for (const auto& item : network->named_parameters()) parts[item.key()] = item.value();
  for (const auto& item : network->named_buffers()) parts[item.key()] = item.value();
  const auto norm = [&](const std::string& name, int channel, double x) {
    const auto get = [&](const char* part) {
      return parts.at("block1." + name + part)[channel].item<double>();
    };
    return (x - get(".running_mean")) / std::sqrt(get(".running_var") + 1e-5) * get(".weight") +
           get(".bias");
  };
  const torch::Tensor x = at::relu(at::randn({2, shape.filters, shape.rows, shape.cols}));
  const torch::Tensor y = at::conv2d(x, parts.at("block1.conv1.weight"), {}, 1, 1);
  const int pooled = 4;
  const int kept = 12;
  const int cells = shape.cells();
  torch::Tensor middle = at::zeros({2, kept, shape.rows, shape.cols});
  for (int row = 0; row < 2; ++row) {
    const auto cell = [&](int channel, int at) {
      return y[row][channel][at / shape.cols][at % shape.cols].item<double>();
    };
    std::vector<double> pools(2 * pooled, 0.0);
    for (int c = 0; c < pooled; ++c) {
      for (int at = 0; at < cells; ++at) {
        const double seen = std::max(0.0, norm("pool_norm", c, cell(c, at)));
        pools[static_cast<std::size_t>(c)] += seen / cells;
        double& most = pools[static_cast<std::size_t>(pooled + c)];
        most = std::max(most, seen);
      }
    }
    for (int c = 0; c < kept; ++c) {
      double added = parts.at("block1.pool.bias")[c].item<double>();
      for (int i = 0; i < 2 * pooled; ++i) {
        added += parts.at("block1.pool.weight")[c][i].item<double>() *
                 pools[static_cast<std::size_t>(i)];
      }
      for (int at = 0; at < cells; ++at) {
        middle[row][c][at / shape.cols][at % shape.cols] =
            std::max(0.0, norm("norm", c, cell(pooled + c, at) + added));
      }
    }
  }
  torch::Tensor sum = at::conv2d(middle, parts.at("block1.conv2.conv.weight"), {}, 1, 1);
  for (int c = 0; c < shape.filters; ++c) {
    const double scale = norm("conv2.norm", c, 1.0) - norm("conv2.norm", c, 0.0);
    sum.select(1, c).mul_(scale).add_(norm("conv2.norm", c, 0.0));
  }
  const torch::Tensor want = at::relu(sum + x);
  EXPECT_LT(at::abs(network->Stage(1, x) - want).max().item<double>(), 1e-5);
}

// A GPU's form, on the CPU, beside the CPU's own, which takes float32 weights and bf16 tokens.
TEST(NormaliseInOneType, IsTheLayerNormUpToTheRoundingOfItsWeights) {
  torch::manual_seed(8);
  torch::nn::LayerNorm norm(torch::nn::LayerNormOptions({16}));
  {
    const at::NoGradGuard no_grad;
    norm->weight.add_(0.3 * at::randn({16}));
    norm->bias.add_(0.3 * at::randn({16}));
  }
  const auto gradient = [&](const torch::Tensor& y) {
    norm->zero_grad();
    y.to(at::kFloat).square().sum().backward();
    return norm->weight.grad().clone();
  };
  const auto difference = [](const torch::Tensor& a, const torch::Tensor& b) {
    const torch::Tensor apart = at::abs(a.to(at::kFloat) - b.to(at::kFloat)).max();
    return apart.item<double>() / at::abs(b).max().item<double>();
  };
  const torch::Tensor tokens = at::randn({3, 20, 16});
  EXPECT_TRUE(NormaliseInOneType(norm, tokens).equal(norm->forward(tokens)));

  const torch::Tensor low = tokens.to(at::kBFloat16);
  const torch::Tensor own = NormaliseInOneType(norm, low);
  const torch::Tensor mixed = norm->forward(low);
  EXPECT_EQ(own.scalar_type(), at::kBFloat16);
  EXPECT_LT(difference(own, mixed), 1.0 / 64);
  const torch::Tensor own_gradient = gradient(own);
  EXPECT_EQ(own_gradient.scalar_type(), at::kFloat);  // the master's, whatever the forward's
  EXPECT_LT(difference(own_gradient, gradient(mixed)), 1.0 / 32);
}

TEST(Network, RefusesShapesThatCannotBeBuilt) {
  EXPECT_TRUE(ValidateNetShape(SmallShape()).has_value());
  NetShape uneven = SmallShape();
  uneven.heads = 3;
  NetShape half = SmallShape();
  half.attention_blocks = 0;
  NetShape empty = SmallShape();
  empty.filters = 0;
  NetShape six = testing::PoolingShape();
  six.heads = six.attention_blocks = 0;
  six.filters = 6;
  NetShape rare = testing::PoolingShape();
  rare.global_pool_every = 4;
  for (const NetShape& shape : {uneven, half, empty, six, rare}) {
    const Result<void> valid = ValidateNetShape(shape);
    ASSERT_FALSE(valid.has_value());
    EXPECT_EQ(valid.error().code, Errc::kInvalid);
  }
}

}  // namespace
}  // namespace az
