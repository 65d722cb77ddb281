// The bounds of docs/learning.md between the forms of one network, on positions of real games.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/net/net_spec.h"
#include "games/registry.h"
#include "tests/engine/net/answers_testing.h"
#include "tests/engine/net/net_testing.h"

namespace az {
namespace {

constexpr int kPositions = 1024;

struct Case {
  std::string game;
  NetOptions net;
};

std::vector<Case> Cases() {
  NetOptions small;
  small.num_filters = 32;
  small.num_res_blocks = 4;
  NetOptions attention;
  attention.num_filters = 64;
  attention.num_res_blocks = 3;
  attention.num_heads = 8;
  return {{"hex5", small}, {"hex5", attention}, {"connect_four", small}, {"hex9", small}};
}

Network MakeNetwork(const Case& item, unsigned seed) {
  const NetShape shape = *MakeNetShape(item.net, (*FindGame(item.game))->info());
  return testing::TrainedLikeNetwork(shape, seed);
}

TEST(Parity, Fp32InferenceIsTheTrainingFormInEvalMode) {
  for (const Case& item : Cases()) {
    Network network = MakeNetwork(item, 11);
    const auto bits = testing::GamePositions(item.game, kPositions, 12);
    const testing::Answers want = testing::Reference(network, bits);
    const auto net = testing::MustCreate(network, {Precision::kFp32});
    const testing::Answers have = testing::Answer(*net, bits, {kPositions, kPositions});
    EXPECT_LT(testing::Distance(want.logits, have.logits), 1e-4f) << item.game;
    EXPECT_LT(testing::Distance(want.values, have.values), 1e-5f) << item.game;
  }
}

TEST(Parity, Bf16InferenceStaysWithinItsBounds) {
  for (const Case& item : Cases()) {
    Network network = MakeNetwork(item, 13);
    const auto bits = testing::GamePositions(item.game, kPositions, 14);
    const testing::Answers want = testing::Reference(network, bits);
    for (const NetKernels kernels : {NetKernels::kAuto, NetKernels::kOnednn}) {
      const auto net = testing::MustCreate(network, {Precision::kBf16, kernels});
      const testing::Deviation off =
          testing::Compare(want, testing::Answer(*net, bits, {kPositions, kPositions}));
      EXPECT_LE(off.mean_kl, 2e-3) << item.game << " " << net->kernels();
      EXPECT_GE(off.same_best, 0.98) << item.game << " " << net->kernels();
      EXPECT_LE(off.mean_value, 0.01) << item.game << " " << net->kernels();
      EXPECT_LE(off.worst_value, 0.06) << item.game << " " << net->kernels();
    }
  }
}

}  // namespace
}  // namespace az
