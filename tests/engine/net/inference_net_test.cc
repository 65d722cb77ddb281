#include "engine/net/inference_net.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/net/net_spec.h"
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
  NetShape pooling = wide;
  pooling.res_blocks = 2;
  pooling.global_pool_every = 2;
  NetShape pooling_wide = attention;
  pooling_wide.filters = 96;  // 72 channels are kept: no kernel has just so many inputs
  pooling_wide.res_blocks = 2;
  pooling_wide.global_pool_every = 1;
  return {testing::SmallShape(),   tower,   attention,   wide,
          testing::PoolingShape(), pooling, pooling_wide};
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

TEST(InferenceNet, IgnoresBitsBeyondTheBoard) {
  for (const NetShape& shape : Shapes()) {
    Network network = testing::TrainedLikeNetwork(shape, 3);
    const auto bits = RandomBits(shape, 16, 4);
    auto dirty = bits;
    const auto words_per_plane = static_cast<std::size_t>((shape.cells() + 63) / 64);
    for (std::size_t i = words_per_plane - 1; i < dirty.size(); i += words_per_plane) {
      dirty[i] |= ~std::uint64_t{0} << (shape.cells() % 64);
    }
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
      if (precision == Precision::kBf16 && !OnednnHasBf16()) continue;
      const auto net = MustCreate(network, {precision});
      EXPECT_EQ(Answer(*net, bits, {16, 16}).logits, Answer(*net, dirty, {16, 16}).logits);
    }
  }
}

// Rows [first, first + count) of packed planes.
std::vector<std::uint64_t> Rows(const std::vector<std::uint64_t>& bits, std::size_t words,
                                std::size_t first, std::size_t count) {
  return {bits.begin() + static_cast<std::ptrdiff_t>(first * words),
          bits.begin() + static_cast<std::ptrdiff_t>((first + count) * words)};
}

// In vector and in tile registers.
class DirectNet : public ::testing::TestWithParam<NetKernels> {
 protected:
  void SetUp() override {
    if (!CpuHasFastBf16()) GTEST_SKIP() << "no AVX512-BF16";
    if (GetParam() == NetKernels::kTiles && !CpuHasTiles()) GTEST_SKIP() << "no AMX-BF16";
  }
};
INSTANTIATE_TEST_SUITE_P(Units, DirectNet,
                         ::testing::Values(NetKernels::kDirect, NetKernels::kTiles),
                         [](const ::testing::TestParamInfo<NetKernels>& test) {
                           return test.param == NetKernels::kTiles ? "tiles" : "vectors";
                         });

TEST_P(DirectNet, AnswersARowTheSameToTheBitInAnyBatch) {
  for (NetShape shape : Shapes()) {
    if (shape.filters % 32 != 0) continue;
    Network network = testing::TrainedLikeNetwork(shape, 5);
    const auto net = MustCreate(network, {Precision::kBf16, GetParam()});
    constexpr int kRows = 69;  // the last group is partial
    const auto bits = RandomBits(shape, kRows, 6);
    const std::size_t words = bits.size() / kRows;
    const Answers all = Answer(*net, bits, {kRows, kRows});
    const auto actions = static_cast<std::size_t>(shape.actions);
    for (const std::size_t count : {1u, 3u, 4u, 7u, 12u, 13u, 16u, 17u, 21u}) {
      for (const std::size_t first : {0u, 11u, 48u}) {
        const int rows = static_cast<int>(count);
        const Answers some = Answer(*net, Rows(bits, words, first, count), {rows, rows});
        for (std::size_t row = 0; row < count; ++row) {
          EXPECT_EQ(some.values[row], all.values[first + row]) << count << " rows from " << first;
          EXPECT_TRUE(
              std::equal(some.logits.begin() + static_cast<std::ptrdiff_t>(row * actions),
                         some.logits.begin() + static_cast<std::ptrdiff_t>((row + 1) * actions),
                         all.logits.begin() + static_cast<std::ptrdiff_t>((first + row) * actions)))
              << count << " rows from " << first;
        }
      }
    }
  }
}

TEST_P(DirectNet, AgreesWithOnednnOnOddShapes) {
  const NetShape odd{.planes = 5,
                     .rows = 3,
                     .cols = 8,
                     .actions = 33,
                     .filters = 96,
                     .res_blocks = 1,
                     .heads = 12,
                     .attention_blocks = 1,
                     .policy_filters = 40,
                     .value_filters = 3,
                     .value_hidden = 50};
  const NetShape flat{
      .planes = 2, .rows = 1, .cols = 70, .actions = 70, .filters = 32, .res_blocks = 0};
  for (const NetShape& shape : {odd, flat}) {
    Network network = testing::TrainedLikeNetwork(shape, 7);
    const auto bits = RandomBits(shape, 40, 8);
    const Answers want = Reference(network, bits);
    for (const NetKernels kernels : {GetParam(), NetKernels::kOnednn}) {
      const auto net = MustCreate(network, {Precision::kBf16, kernels});
      const testing::Deviation off = testing::Compare(want, Answer(*net, bits, {40, 40}));
      EXPECT_LT(off.mean_kl, 2e-3) << net->kernels() << " " << shape.rows;
      EXPECT_LT(off.worst_value, 0.06) << net->kernels() << " " << shape.rows;
    }
  }
}

// An answer that is not finite must be seen as one, not turned into a zero by a ReLU.
TEST_P(DirectNet, LetsANanThrough) {
  Network network = testing::TrainedLikeNetwork(Shapes()[1], 9);
  Weights weights = WeightsOf(*network, {});
  for (NamedTensor& named : weights.tensors) {
    if (named.name == "stem.conv.weight") named.tensor.fill_(3e38f);  // sums are infinite, then NaN
  }
  const auto net = InferenceNet::Create(weights, {Precision::kBf16, GetParam()});
  ASSERT_TRUE(net) << net.error().message;
  const Answers answers = Answer(**net, RandomBits(Shapes()[1], 30, 10), {30, 30});
  for (const float value : answers.values) EXPECT_TRUE(std::isnan(value));
  for (const float logit : answers.logits) EXPECT_TRUE(std::isnan(logit));
}

TEST(InferenceNet, TheFastestKernelsAreTakenWhereTheyRunAndRefusedWhereTheyDoNot) {
  if (!OnednnHasBf16()) GTEST_SKIP() << "no bf16 on this processor";
  NetShape shape = Shapes()[1];
  Network fits = testing::TrainedLikeNetwork(shape, 1);
  const char* fastest = CpuHasTiles()      ? "tiles bf16"
                        : CpuHasFastBf16() ? "direct bf16"
                                           : "onednn bf16";
  EXPECT_EQ(MustCreate(fits, {Precision::kBf16})->kernels(), fastest);
  EXPECT_EQ(MustCreate(fits, {Precision::kFp32})->kernels(), "onednn fp32");
  shape.filters = 40;
  Network does_not = testing::TrainedLikeNetwork(shape, 1);
  EXPECT_EQ(MustCreate(does_not, {Precision::kBf16})->kernels(), "onednn bf16");
  for (const NetKernels kernels : {NetKernels::kDirect, NetKernels::kTiles}) {
    const auto refused =
        InferenceNet::Create(WeightsOf(*does_not, {}), {Precision::kBf16, kernels});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::kUnavailable);
  }
  EXPECT_EQ(InferenceNet::Create(WeightsOf(*fits, {}), {Precision::kBf16, NetKernels::kTiles})
                .has_value(),
            CpuHasTiles());
}

}  // namespace
}  // namespace az
