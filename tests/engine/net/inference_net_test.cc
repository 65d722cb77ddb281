#include "engine/net/inference_net.h"

#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/rng.h"
#include "games/game.h"
#include "tests/engine/net/net_testing.h"

namespace az {
namespace {

struct Answers {
  std::vector<float> logits;
  std::vector<float> values;
};

std::vector<std::uint64_t> RandomBits(const NetShape& shape, int rows, std::uint64_t seed) {
  Rng rng(seed);
  const PlaneShape planes{shape.planes, shape.rows, shape.cols};
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(rows * planes.words()));
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const int word = static_cast<int>(i) % planes.words_per_plane();
    const int left = planes.cells() - 64 * word;
    bits[i] = rng.Next() & rng.Next();
    if (left < 64) bits[i] &= (std::uint64_t{1} << left) - 1;
  }
  return bits;
}

at::Tensor Unpacked(const NetShape& shape, const std::vector<std::uint64_t>& bits) {
  const PlaneShape planes{shape.planes, shape.rows, shape.cols};
  const int rows = static_cast<int>(bits.size()) / planes.words();
  at::Tensor out = at::zeros({rows, shape.planes, shape.cells()});
  auto out_at = out.accessor<float, 3>();
  for (int row = 0; row < rows; ++row) {
    for (int plane = 0; plane < shape.planes; ++plane) {
      for (int cell = 0; cell < shape.cells(); ++cell) {
        const auto word = static_cast<std::size_t>(row * planes.words() +
                                                   plane * planes.words_per_plane() + cell / 64);
        out_at[row][plane][cell] = static_cast<float>(bits[word] >> (cell % 64) & 1);
      }
    }
  }
  return out.view({rows, shape.planes, shape.rows, shape.cols});
}

Answers Reference(Network& network, const std::vector<std::uint64_t>& bits) {
  const at::NoGradGuard no_grad;
  network->eval();
  const NetworkOutput out = network->forward(Unpacked(network->shape(), bits));
  const at::Tensor chances = at::softmax(out.value_logits, 1);
  const at::Tensor logits = out.policy_logits.contiguous();
  const at::Tensor values = (chances.select(1, 0) - chances.select(1, 2)).contiguous();
  return Answers{{logits.data_ptr<float>(), logits.data_ptr<float>() + logits.numel()},
                 {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()}};
}

struct Sizes {
  int rows = 0;
  int bucket = 0;
};
Answers Answer(const InferenceNet& net, std::vector<std::uint64_t> bits, Sizes sizes) {
  const NetShape& shape = net.shape();
  const PlaneShape planes{shape.planes, shape.rows, shape.cols};
  bits.resize(static_cast<std::size_t>(sizes.bucket * planes.words()));
  Answers out{std::vector<float>(static_cast<std::size_t>(sizes.bucket * shape.actions)),
              std::vector<float>(static_cast<std::size_t>(sizes.bucket))};
  InferenceScratch scratch;
  const Result<void> done = net.Forward(
      {bits.data(), out.logits.data(), out.values.data(), sizes.rows, sizes.bucket}, scratch);
  AZ_CHECK(done.has_value()) << done.error().message;
  out.logits.resize(static_cast<std::size_t>(sizes.rows * shape.actions));
  out.values.resize(static_cast<std::size_t>(sizes.rows));
  return out;
}

float Distance(const std::vector<float>& a, const std::vector<float>& b) {
  AZ_CHECK(a.size() == b.size());
  float worst = 0.0f;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

std::vector<NetShape> Shapes() {
  NetShape tower{.planes = 2, .rows = 5, .cols = 5, .actions = 25, .filters = 32, .res_blocks = 4};
  NetShape attention = tower;
  attention.filters = 64;
  attention.heads = 8;
  attention.attention_blocks = 2;
  NetShape wide{.planes = 5, .rows = 9, .cols = 9, .actions = 82, .filters = 32, .res_blocks = 1};
  return {testing::SmallShape(), tower, attention, wide};
}

std::unique_ptr<const InferenceNet> MustCreate(Network& network, InferenceOptions options) {
  auto net = InferenceNet::Create(WeightsOf(*network, {}), options);
  AZ_CHECK(net.has_value()) << net.error().message;
  return std::move(*net);
}

TEST(InferenceNet, Fp32EqualsTheTrainingForm) {
  for (const NetShape& shape : Shapes()) {
    Network network = testing::TrainedLikeNetwork(shape, 1);
    const auto net = MustCreate(network, {Precision::kFp32});
    const auto bits = RandomBits(shape, 64, 2);
    const Answers want = Reference(network, bits);
    const Answers have = Answer(*net, bits, {64, 64});
    EXPECT_LT(Distance(want.logits, have.logits), 1e-4f) << shape.filters;
    EXPECT_LT(Distance(want.values, have.values), 1e-5f) << shape.filters;
  }
}

TEST(InferenceNet, RowAloneEqualsTheSameRowInAFullBucket) {
  for (const NetShape& shape : Shapes()) {
    Network network = testing::TrainedLikeNetwork(shape, 3);
    const auto net = MustCreate(network, {Precision::kFp32});
    const auto bits = RandomBits(shape, 32, 4);
    const Answers all = Answer(*net, bits, {32, 32});
    const std::size_t words = bits.size() / 32;
    const std::size_t actions = static_cast<std::size_t>(shape.actions);
    for (const std::size_t row : {std::size_t{0}, std::size_t{17}, std::size_t{31}}) {
      const std::vector<std::uint64_t> one(
          bits.begin() + static_cast<std::ptrdiff_t>(row * words),
          bits.begin() + static_cast<std::ptrdiff_t>((row + 1) * words));
      const std::vector<float> logits(
          all.logits.begin() + static_cast<std::ptrdiff_t>(row * actions),
          all.logits.begin() + static_cast<std::ptrdiff_t>((row + 1) * actions));
      for (const int bucket : {1, 8}) {
        const Answers alone = Answer(*net, one, {1, bucket});
        EXPECT_LT(Distance(alone.logits, logits), 1e-5f) << "bucket " << bucket;
        EXPECT_LT(std::abs(alone.values[0] - all.values[row]), 1e-5f) << "bucket " << bucket;
      }
    }
  }
}

}  // namespace
}  // namespace az
