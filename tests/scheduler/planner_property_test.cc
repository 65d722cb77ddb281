#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "scheduler/bill.h"
#include "scheduler/ladder.h"
#include "scheduler/planner.h"
#include "tests/scheduler/plan_testing.h"

// What holds for every plan, over random networks, games, devices, budgets and configs.

namespace az {
namespace {

using testing::ExpectChangesAreTold;
using testing::Hex5x5;
using testing::OnGpu;
using testing::PlanOf;
using testing::RandomInput;

void ExpectSound(const PlanInput& input, const Plan& plan) {
  const PlanWishes& wishes = input.wishes;
  EXPECT_LE(Peak(plan.ram) + plan.ram_guard, plan.ram_budget);
  EXPECT_LE(plan.ram_budget, input.device.ram);
  if (input.device.kind == DeviceKind::kCuda) {
    EXPECT_LE(Peak(plan.vram) + plan.vram_guard, plan.vram_budget);
    EXPECT_LE(plan.vram_budget, input.device.vram);
  }
  EXPECT_GE(plan.num_workers, 1);
  EXPECT_GE(plan.arena_workers, 1);
  EXPECT_EQ(plan.lanes, std::max(plan.num_workers, plan.arena_workers));
  EXPECT_GE(plan.runners, 1);
  EXPECT_GE(plan.slots, 1);
  EXPECT_TRUE(plan.blocks >= 2 && plan.blocks <= 8) << plan.blocks;
  EXPECT_TRUE(plan.rows >= 1 && plan.rows <= 64) << plan.rows;
  EXPECT_TRUE(std::ranges::is_sorted(plan.buckets));
  EXPECT_EQ(std::ranges::adjacent_find(plan.buckets), plan.buckets.end());
  EXPECT_GE(plan.buckets.front(), 1);
  // The effective batch never changes: the pieces cover it, and not one piece too many.
  const std::int64_t rows = std::int64_t{plan.micro_batch} * plan.accumulate * plan.learner_shards;
  EXPECT_GE(rows, wishes.batch);
  EXPECT_LT(rows - wishes.batch, std::int64_t{plan.accumulate} * plan.learner_shards);
  if (wishes.memory.on_overcommit == OnOvercommit::kRefuse) {
    if (wishes.num_workers) {
      EXPECT_EQ(plan.num_workers, *wishes.num_workers);
    }
    if (wishes.slots) {
      EXPECT_EQ(plan.slots, *wishes.slots);
    }
    if (wishes.accumulate) {
      EXPECT_EQ(plan.accumulate, *wishes.accumulate);
    }
    if (wishes.max_batch) {
      EXPECT_EQ(plan.buckets.back(), *wishes.max_batch);
    }
  }
  EXPECT_FALSE(plan.reasons.empty());
  ExpectChangesAreTold(input, plan);
}

// Sums of what is shown, in every bill.
void ExpectSums(const Plan& plan, const PlanInput& input) {
  for (const std::vector<PhaseBill>* bills : {&plan.ram, &plan.vram}) {
    for (const PhaseBill& bill : *bills) {
      Bytes sum;
      for (const BillTerm& term : bill.terms) {
        EXPECT_GT(term.bytes, Bytes()) << term.name;
        sum += term.bytes;
      }
      EXPECT_EQ(sum, bill.total());
    }
  }
  const PeakBytes peaks = PeaksOf(input, plan);
  EXPECT_EQ(peaks.ram, Peak(plan.ram));
  EXPECT_EQ(peaks.vram, Peak(plan.vram));
}

// What the inputs never draw, no property is shown of.
TEST(PlannerProperty, InputsDrawEveryTermThatARunMayHave) {
  Rng rng(10);
  int solvers = 0;
  int rollouts = 0;
  int wider_nodes = 0;
  int larger_nets = 0;
  for (int round = 0; round < 200; ++round) {
    const PlanInput input = RandomInput(rng);
    solvers += input.wishes.solver > Bytes() ? 1 : 0;
    rollouts += input.wishes.rollout_visits > input.wishes.arena_visits ? 1 : 0;
    wider_nodes += input.wishes.node_bytes > kNodeBytes ? 1 : 0;
    larger_nets +=
        std::ranges::any_of(input.match_nets,
                            [&](const NetShape& net) { return net.filters > input.net.filters; })
            ? 1
            : 0;
  }
  EXPECT_GE(std::min({solvers, rollouts, wider_nodes, larger_nets}), 10);
}

TEST(PlannerProperty, NeverAboveABudgetAndSumsAreRight) {
  Rng rng(11);
  int fitted = 0;
  constexpr int kRounds = 10'000;
  for (int round = 0; round < kRounds; ++round) {
    const PlanInput input = RandomInput(rng);
    const Result<Plan> plan = MakePlan(input);
    if (!plan) {
      EXPECT_TRUE(plan.error().code == Errc::kNoMemory || plan.error().code == Errc::kInvalid);
      continue;
    }
    ++fitted;
    ExpectSound(input, *plan);
    ExpectSums(*plan, input);
    if (::testing::Test::HasFailure()) FAIL() << "round " << round;
  }
  EXPECT_GT(fitted, kRounds / 3);
  EXPECT_LT(fitted, kRounds) << "no budget was too small";
}

// A budget that grows never makes the plan dearer, and never one impossible that was possible.
TEST(PlannerProperty, ALargerBudgetNeverGivesUpMore) {
  Rng rng(12);
  for (int round = 0; round < 600; ++round) {
    PlanInput input = RandomInput(rng);
    std::optional<Price> before;
    for (int step = 0; step < 6; ++step) {
      const Result<Plan> plan = MakePlan(input);
      ASSERT_TRUE(plan || !before) << "round " << round << ": " << plan.error().message;
      if (plan) {
        if (before) {
          EXPECT_LE(plan->price, *before) << "round " << round;
        }
        before = plan->price;
      }
      input.device.ram = input.device.ram * 3 / 2;
      input.device.vram = input.device.vram * 3 / 2;
    }
  }
}

// What lets the planner stop when the last rungs do not fit.
TEST(PlannerProperty, MemoryOnlyFallsDownALadder) {
  Rng rng(13);
  for (int round = 0; round < 500; ++round) {
    PlanInput input = RandomInput(rng);
    input.device.ram = input.device.vram = GiB(1 << 22);
    const Plan ideal = PlanOf(input);
    const auto expect_falling = [&](const std::vector<Rung>& rungs) {
      PeakBytes before = PeaksOf(input, ideal);
      for (const Rung& rung : rungs) {
        const PeakBytes now = PeaksOf(input, rung.plan);
        EXPECT_LE(now.ram, before.ram) << "round " << round;
        EXPECT_LE(now.vram, before.vram) << "round " << round;
        before = now;
      }
    };
    expect_falling(HostLadder(input, ideal));
    expect_falling(InferenceLadder(input, ideal));
    expect_falling(TrainLadder(input, ideal));
  }
}

// The choice is the cheapest of all that fit, not only a good one.
TEST(PlannerProperty, NoCombinationThatFitsIsCheaper) {
  Rng rng(14);
  int compared = 0;
  for (int round = 0; round < 4000 && compared < 60; ++round) {
    const PlanInput input = RandomInput(rng);
    const Result<Plan> plan = MakePlan(input);
    if (!plan || plan->host_rungs + plan->inference_rungs + plan->train_rungs == 0) continue;
    ++compared;
    PlanInput roomy = input;
    roomy.device.ram = roomy.device.vram = GiB(1 << 22);
    roomy.wishes.memory.ram_budget.reset();
    roomy.wishes.memory.vram_budget.reset();
    const Plan ideal = PlanOf(roomy);
    const std::vector<Rung> hosts = HostLadder(input, ideal);
    const std::vector<Rung> inferences = InferenceLadder(input, ideal);
    const std::vector<Rung> trains = TrainLadder(input, ideal);
    for (const Rung& host : hosts) {
      for (const Rung& inference : inferences) {
        for (const Rung& train : trains) {
          const int written = host.written + inference.written + train.written;
          const int quality = host.quality + inference.quality + train.quality;
          if (std::pair(written, quality) >= std::pair(plan->price.written, plan->price.quality)) {
            continue;
          }
          Plan other = ideal;
          TakeHost(host.plan, other);
          TakeInference(inference.plan, other);
          TakeTraining(train.plan, other);
          const PeakBytes peaks = PeaksOf(input, other);
          const bool fits =
              peaks.ram + plan->ram_guard <= plan->ram_budget &&
              (plan->vram.empty() || peaks.vram + plan->vram_guard <= plan->vram_budget);
          EXPECT_FALSE(fits) << "round " << round << ": a plan that gives up less fits";
        }
      }
    }
    if (::testing::Test::HasFailure()) FAIL() << "round " << round;
  }
  EXPECT_EQ(compared, 60);
}

TEST(PlannerProperty, TheSameInputGivesTheSamePlan) {
  Rng rng(15);
  for (int round = 0; round < 200; ++round) {
    const PlanInput input = RandomInput(rng);
    const Result<Plan> a = MakePlan(input);
    const Result<Plan> b = MakePlan(input);
    ASSERT_EQ(a.has_value(), b.has_value());
    if (!a) {
      EXPECT_EQ(a.error().message, b.error().message);
      continue;
    }
    EXPECT_EQ(a->reasons, b->reasons);
    EXPECT_EQ(a->buckets, b->buckets);
    EXPECT_EQ(a->price, b->price);
    EXPECT_EQ(Peak(a->ram), Peak(b->ram));
    EXPECT_EQ(Peak(a->vram), Peak(b->vram));
  }
}

TEST(PlannerProperty, VramIsTheSameForAnyNumberOfWorkers) {
  for (const int cores : {4, 64}) {
    PlanInput input = OnGpu(GiB(12));
    input.device.cores = cores;
    input.device.ram = GiB(1024);
    input.wishes.num_workers = 1;
    const Bytes one = Peak(PlanOf(input).vram);
    for (int workers = 1; workers <= 1024; ++workers) {
      input.wishes.num_workers = workers;
      input.wishes.arena_workers = 1 + workers / 2;
      const Plan plan = PlanOf(input);
      ASSERT_EQ(plan.num_workers, workers);
      ASSERT_EQ(Peak(plan.vram), one) << workers << " workers";
    }
  }
}

TEST(PlannerProperty, AFailureGivesUpMoreNeverLess) {
  Rng rng(16);
  for (int round = 0; round < 400; ++round) {
    PlanInput input = RandomInput(rng);
    const Result<Plan> plan = MakePlan(input);
    if (!plan) continue;
    input.rungs = {1, 1, 1};
    const Result<Plan> lower = MakePlan(input);
    ASSERT_TRUE(lower) << lower.error().message;
    EXPECT_GE(lower->train_rungs, plan->train_rungs);
    EXPECT_GE(lower->inference_rungs, plan->inference_rungs);
    EXPECT_GE(lower->host_rungs, plan->host_rungs);
    EXPECT_LE(Peak(lower->ram), Peak(plan->ram));
    EXPECT_LE(Peak(lower->vram), Peak(plan->vram));
    ExpectSound(input, *lower);
  }
}

}  // namespace
}  // namespace az
