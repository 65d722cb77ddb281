#include "engine/net/inference_net.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/engine/net/answers_testing.h"
#include "tests/engine/net/net_testing.h"

namespace az {
namespace {

using testing::Answer;
using testing::Answers;
using testing::Distance;
using testing::MustCreate;
using testing::RandomBits;
using testing::Reference;

std::vector<NetShape> Shapes() {
  NetShape tower{.planes = 2, .rows = 5, .cols = 5, .actions = 25, .filters = 32, .res_blocks = 4};
  NetShape attention = tower;
  attention.filters = 64;
  attention.heads = 8;
  attention.attention_blocks = 2;
  NetShape wide{.planes = 5, .rows = 9, .cols = 9, .actions = 82, .filters = 32, .res_blocks = 1};
  return {testing::SmallShape(), tower, attention, wide};
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
