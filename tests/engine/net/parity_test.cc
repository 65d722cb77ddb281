// The bounds of docs/learning.md between the forms of one network, on positions of real games.

#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "engine/config/plan_request.h"
#include "engine/net/aten_net.h"
#include "engine/net/folded_net.h"
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
  NetOptions pooling = small;
  pooling.global_pool_every = 2;
  NetOptions pooling_all = attention;  // every block pools
  pooling_all.global_pool_every = 1;
  return {{"hex5", small}, {"hex5", attention},   {"connect_four", small},
          {"hex9", small}, {"hex5", pooling_all}, {"hex9", pooling}};
}

Network MakeNetwork(const Case& item, unsigned seed) {
  const NetShape shape = NetShapeFor(item.net, (*FindGame(item.game))->info());
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
  if (!OnednnHasBf16()) GTEST_SKIP() << "no bf16 on this processor";
  for (const Case& item : Cases()) {
    Network network = MakeNetwork(item, 13);
    const auto bits = testing::GamePositions(item.game, kPositions, 14);
    const testing::Answers want = testing::Reference(network, bits);
    std::vector<NetKernels> all = {NetKernels::kAuto, NetKernels::kOnednn};
    if (CpuHasTiles()) all.push_back(NetKernels::kDirect);  // auto takes tiles
    for (const NetKernels kernels : all) {
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

// The form that a GPU runs, here on the CPU: the same operators.
TEST(Parity, AtenFormIsTheTrainingFormInEvalMode) {
  const c10::InferenceMode inference;
  for (const Case& item : Cases()) {
    Network network = MakeNetwork(item, 15);
    const auto bits = testing::GamePositions(item.game, 64, 16);
    const testing::Answers want = testing::Reference(network, bits);
    const auto words = static_cast<std::int64_t>(bits.size()) / 64;
    const at::Tensor rows = at::empty({64, words}, at::kLong);
    std::memcpy(rows.data_ptr(), bits.data(), bits.size() * sizeof(std::uint64_t));
    const FoldedNet folded = Fold(WeightsOf(*network, {}));
    AtenNet net(folded, at::kFloat, at::kCPU);
    const auto expect_same = [&](const AtenNet::Output& out) {
      const auto numbers = [](const at::Tensor& t) {
        return std::vector<float>(t.const_data_ptr<float>(), t.const_data_ptr<float>() + t.numel());
      };
      EXPECT_LT(testing::Distance(want.logits, numbers(out.logits)), 1e-4f) << item.game;
      EXPECT_LT(testing::Distance(want.values, numbers(out.values)), 1e-5f) << item.game;
    };
    expect_same(net.Forward(rows));
    AtenNet other(Fold(WeightsOf(*MakeNetwork(item, 99), {})), at::kFloat, at::kCPU);
    other.Assign(net);  // and publishing in place
    expect_same(other.Forward(rows));
  }
}

}  // namespace
}  // namespace az
