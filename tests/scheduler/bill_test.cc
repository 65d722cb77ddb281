#include "scheduler/bill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "scheduler/footprint.h"
#include "scheduler/worker_bytes.h"
#include "tests/scheduler/plan_testing.h"

namespace az {
namespace {

using testing::Hex5x5;
using testing::OnGpu;
using testing::PlanOf;

// mcts/rollout_player.h: 1 + (visits + 1) * actions nodes of 32 bytes.
TEST(WorkerBytes, HasOneTreeOfRolloutsBesideTheOtherSidesTrees) {
  PlanInput input = Hex5x5();
  Plan plan = PlanOf(input);
  const Bytes without = WorkerBytes(input, plan);
  input.wishes.rollout_visits = 200;
  EXPECT_EQ(WorkerBytes(input, plan), without) << "less than the other side's trees";
  input.wishes.rollout_visits = 1'000'000;
  const Bytes rollouts(32 * (1 + std::int64_t{1'000'001} * 25));
  const Bytes other_side(32 * (1 + std::int64_t{input.wishes.arena_visits + 1} * 25));
  EXPECT_EQ(WorkerBytes(input, plan), without - other_side * plan.slots + rollouts);
  plan.slots *= 2;
  EXPECT_GT(WorkerBytes(input, plan), rollouts);
  EXPECT_LT(WorkerBytes(input, plan), rollouts * 2);
}

// Two trees of the one game and a spare one, however many slots there are.
TEST(WorkerBytes, HasTheTreesOfOneGameByTime) {
  PlanInput input = Hex5x5();
  Plan plan = PlanOf(input);
  plan.slots = 4;
  const auto more = [&] {
    PlanInput without = input;
    without.wishes.timed_tree = Bytes();
    return WorkerBytes(input, plan) - WorkerBytes(without, plan);
  };
  input.wishes.timed_tree = MiB(128);
  const Bytes game = MiB(128) * 3;
  EXPECT_GT(more(), game - MiB(8));
  EXPECT_LT(more(), game);
  plan.slots = 64;
  EXPECT_LT(more(), game);
  EXPECT_GT(more(), MiB(128));
  input.wishes.rollout_visits = 10'000'000;  // the other side's
  plan.slots = 1;
  EXPECT_GT(more(), MiB(128) * 2 - MiB(8));
  EXPECT_LT(more(), MiB(128) * 2 + MiB(8));
}

// Which form of inference a CPU takes is not known: each must fit.
TEST(RamBill, OfACpuInBf16HasRoomForEveryFormOfInference) {
  PlanInput input = Hex5x5();
  input.device.fast_bf16 = true;
  for (const int size : {5, 9}) {
    for (const int filters : {48, 64}) {
      input.net.rows = input.net.cols = size;
      input.net.actions = size * size;
      input.net.filters = filters;
      input.net.heads = 4;
      input.net.attention_blocks = 1;
      const Plan plan = PlanOf(input);
      ASSERT_EQ(plan.inference_precision, Precision::kBf16);
      Bytes slot = DirectStateBytes(input.net);
      Bytes forward = DirectScratchBytes(input.net, CpuUnit::kTiles);
      for (const CpuUnit unit : {CpuUnit::kVectors, CpuUnit::kTiles}) {
        slot = std::max(slot, InferenceStateBytes(input.net, Precision::kBf16, unit));
        forward = std::max(
            forward, InferenceBatchBytes(input.net, Precision::kBf16, plan.buckets.back(), unit));
      }
      const auto& terms = plan.ram.front().terms;
      const auto bytes = [&](std::string_view name) {
        return std::ranges::find(terms, name, &BillTerm::name)->bytes;
      };
      EXPECT_EQ(bytes("weights best"), slot) << size << " " << filters;
      EXPECT_EQ(bytes("activations"), forward * plan.runners) << size << " " << filters;
    }
  }
}

// All trees of searches, none of rollouts.
TEST(WorkerBytes, TreesThatKeepMoreTakeMore) {
  PlanInput input = Hex5x5();
  input.wishes.rollout_visits = 1'000'000;
  Plan plan = PlanOf(input);
  plan.slots = 4;
  const auto without_trees = [&] {
    PlanInput none = input;
    none.wishes.node_bytes = 0;
    return WorkerBytes(none, plan);
  };
  const Bytes rest = without_trees();
  const Bytes trees = WorkerBytes(input, plan) - rest;
  input.wishes.node_bytes = 40;
  EXPECT_EQ((WorkerBytes(input, plan) - rest) * 4, trees * 5);
}

// Each worker's device process has LibTorch's plans of its own, as the learner's has.
TEST(RamBill, EveryDeviceProcessHasItsLibrarysPlans) {
  PlanInput input = Hex5x5();
  input.wishes.memory.model_sharing = ModelSharing::kPerWorker;
  const Plan plan = PlanOf(input);
  const auto term = [&](std::string_view name) {
    const std::vector<PhaseBill> bills = RamBill(input, plan);
    for (const BillTerm& one : bills.at(static_cast<std::size_t>(PlanPhase::kArena)).terms) {
      if (one.name == name) return one.bytes;
    }
    return Bytes();
  };
  const Bytes learner = term("allocator slack");
  const Bytes workers = term("workers' networks");
  const Bytes slots = term("weights best") + term("weights candidate");
  NetShape other = input.net;
  other.value_hidden -= 1;  // a network more, of less weight
  input.match_nets = {other};
  const Bytes saved = slots - term("weights best") - term("weights candidate");
  const Bytes plans = term("allocator slack") - learner;
  EXPECT_GT(plans, MiB(9));
  EXPECT_GT(term("workers' networks") - workers + saved * plan.lanes, plans * plan.lanes - MiB(1));
}

// Keys, weights and the index of the window's samples; nothing where nobody asked for them.
TEST(RamBill, HasWhatSamplingNeedsOfEveryPosition) {
  PlanInput input = Hex5x5();
  const Plan plan = PlanOf(input);
  const auto window = [&]() -> std::int64_t {
    const std::vector<PhaseBill> bills = RamBill(input, plan);
    for (const BillTerm& term : bills.front().terms) {
      if (std::string_view(term.name) == "replay window") {
        return term.bytes.count() / input.wishes.window_positions;
      }
    }
    return 0;
  };
  const std::int64_t plain = window();
  ASSERT_GT(plain, 0);
  input.wishes.weighs_positions = true;
  EXPECT_EQ(window() - plain, 36 + 4);
  input.wishes.merges_positions = true;
  EXPECT_EQ(window() - plain, 36 + 4 + 8);
  input.wishes.weighs_positions = false;
  EXPECT_EQ(window() - plain, 36 + 8);
}

Bytes TermOf(const std::vector<PhaseBill>& bills, PlanPhase phase, std::string_view name) {
  for (const PhaseBill& bill : bills) {
    for (const BillTerm& term : bill.terms) {
      if (bill.phase == phase && term.name == name) return term.bytes;
    }
  }
  return Bytes();
}

// Of the batches in flight one runs at a time, yet the graphs of each keep a pool of that size.
TEST(VramBill, ABatchThatWasMeasuredIsBilledOnceAndForEveryPoolOfGraphs) {
  PlanInput input = OnGpu(GiB(12));
  Plan plan = PlanOf(input);
  ASSERT_TRUE(plan.cuda_graphs);
  plan.runners = 3;
  const auto term = [&](PlanPhase phase, std::string_view name) {
    return TermOf(VramBill(input, plan), phase, name);
  };
  const Bytes captures =
      term(PlanPhase::kSelfPlay, "graphs") - term(PlanPhase::kSelfPlay, "activations");
  EXPECT_EQ(captures, MiB(2) * 3 * static_cast<std::int64_t>(plan.buckets.size()));
  input.calibration.inference.push_back(
      {plan.inference_precision, {Bytes(), KiB(1), {{plan.buckets.back(), MiB(7)}}}, {100, 1}, 1});
  EXPECT_EQ(term(PlanPhase::kSelfPlay, "activations"), MiB(7));
  EXPECT_EQ(term(PlanPhase::kSelfPlay, "graphs"), MiB(7) * 3 + captures);
  EXPECT_EQ(term(PlanPhase::kArena, "graphs"), (MiB(7) * 3 + captures) * 2);
  const std::vector<PhaseBill> bills = VramBill(input, plan);
  const auto& terms = bills.front().terms;
  EXPECT_EQ(std::ranges::find(terms, "activations", &BillTerm::name)->basis, Basis::kMeasured)
      << "one at a time was run, as it will be";
}

TEST(RamBill, NetworksThatMeetAreBilledEachInTheirSize) {
  PlanInput input = Hex5x5();
  const Plan plan = PlanOf(input);
  const auto weights = [&](std::string_view of) {
    return TermOf(RamBill(input, plan), PlanPhase::kArena, StrCat("weights ", of));
  };
  const auto activations = [&] {
    return TermOf(RamBill(input, plan), PlanPhase::kArena, "activations");
  };
  const Bytes own = weights("best");
  const Bytes own_activations = activations();
  EXPECT_EQ(weights("candidate"), own);

  NetShape wide = input.net;
  wide.filters *= 4;
  NetShape small = input.net;
  small.filters /= 2;
  input.match_nets = {small};
  EXPECT_EQ(weights("best"), own);
  EXPECT_LT(weights("candidate"), own);
  EXPECT_EQ(activations(), own_activations);
  input.match_nets = {small, wide};
  EXPECT_GT(weights("best"), own * 8);
  EXPECT_EQ(weights("candidate"), own);
  EXPECT_GT(activations(), own_activations);
}

// A budget that training does not fit, and matches do.
TEST(Bills, MatchesAloneAreBilledNothingElse) {
  PlanInput input = Hex5x5();
  input.wishes.memory.ram_budget = MemorySize{MiB(340), 0};
  const Result<Plan> with = MakePlan(input);
  ASSERT_FALSE(with);
  EXPECT_NE(with.error().message.find("in phase train"), std::string::npos) << with.error().message;
  input.wishes.matches_alone = true;
  const Plan plan = PlanOf(input);
  ASSERT_EQ(plan.ram.size(), 1u);
  EXPECT_EQ(plan.ram[0].phase, PlanPhase::kArena);
  EXPECT_EQ(plan.ram[0].total(), RamPeak(input, plan));
  EXPECT_EQ(plan.price, Price{}) << "nothing is given up for what is not played";
  input.wishes.memory.ram_budget = MemorySize{MiB(120), 0};
  const Result<Plan> none = MakePlan(input);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("in phase arena"), std::string::npos) << none.error().message;
  EXPECT_NE(none.error().message.find("fewer simulations"), std::string::npos);
}

TEST(Bills, MatchesAloneStayOnTheGpu) {
  PlanInput input = OnGpu(GiB(12));
  input.wishes.matches_alone = true;
  ASSERT_EQ(PlanOf(input).vram.size(), 1u);
  input.wishes.memory.vram_budget = MemorySize{MiB(600), 0};
  const Result<Plan> none = MakePlan(input);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("device memory"), std::string::npos) << none.error().message;
  EXPECT_NE(none.error().message.find("in phase arena"), std::string::npos);
  EXPECT_EQ(none.error().message.find("simulations"), std::string::npos) << "they are the host's";
}

}  // namespace
}  // namespace az
