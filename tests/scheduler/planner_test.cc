#include "scheduler/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "scheduler/bill.h"
#include "scheduler/ladder.h"
#include "scheduler/throughput.h"

namespace az {
namespace {

// configs/5x5.yaml on a machine of two cores and 8 GiB.
PlanInput Hex5x5() {
  PlanInput input;
  input.device = {
      .kind = DeviceKind::kCpu, .name = "cpu", .cores = 2, .ram = GiB(8), .fast_bf16 = true};
  input.net = {.planes = 2,
               .rows = 5,
               .cols = 5,
               .actions = 25,
               .filters = 128,
               .res_blocks = 8,
               .heads = 8,
               .attention_blocks = 1,
               .policy_filters = 32,
               .value_filters = 32,
               .value_hidden = 256};
  input.game = {.words = 2, .branching = 25, .max_plies = 25};
  input.wishes.window_positions = 500'000;
  input.wishes.visits = input.wishes.arena_visits = 64;
  input.wishes.cache = MiB(16);
  return input;
}

PlanInput OnGpu(Bytes vram) {
  PlanInput input = Hex5x5();
  input.device = {.kind = DeviceKind::kCuda,
                  .name = "card",
                  .simulated = true,
                  .cores = 16,
                  .ram = GiB(32),
                  .vram = vram,
                  .fast_bf16 = true,
                  .assumed_tflops = 100};
  return input;
}

Plan PlanOf(const PlanInput& input) {
  Result<Plan> plan = MakePlan(input);
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? *std::move(plan) : Plan();
}

PlanInput RandomInput(Rng& rng) {
  const auto draw = [&rng](int low, int high) {
    return low + static_cast<int>(rng.Below(static_cast<std::uint64_t>(high - low + 1)));
  };
  const auto maybe = [&](int low, int high) -> Auto<int> {
    return rng.Below(4) == 0 ? Auto<int>(draw(low, high)) : std::nullopt;
  };
  PlanInput input;
  input.device.kind = rng.Below(2) == 0 ? DeviceKind::kCpu : DeviceKind::kCuda;
  input.device.cores = draw(1, 64);
  input.device.ram = MiB(256) * (std::int64_t{1} << rng.Below(9));
  input.device.vram = MiB(draw(256, 80 * 1024));
  input.device.fast_bf16 = rng.Below(2) == 0;
  const int side = draw(3, 19);
  input.net = {.planes = draw(2, 18),
               .rows = side,
               .cols = side,
               .actions = side * side + draw(0, 1),
               .filters = 8 * draw(1, 32),
               .res_blocks = draw(0, 40),
               .heads = 0,
               .attention_blocks = 0,
               .policy_filters = draw(1, 64),
               .value_filters = draw(1, 64),
               .value_hidden = draw(1, 512)};
  if (rng.Below(2) == 0) {
    input.net.heads = 8;
    input.net.attention_blocks = draw(1, 4);
  }
  input.game = {.words = input.net.planes * ((side * side + 63) / 64),
                .branching = input.net.actions,
                .max_plies = 2 * side * side};
  PlanWishes& wishes = input.wishes;
  wishes.num_workers = maybe(1, 256);
  wishes.arena_workers = maybe(1, 256);
  wishes.slots = maybe(1, 4096);
  wishes.runners = maybe(1, 256);
  wishes.max_batch = maybe(1, 4096);
  wishes.accumulate = maybe(1, 1024);
  wishes.batch = draw(1, 4096);
  wishes.visits = draw(1, 2000);
  wishes.arena_visits = draw(1, 2000);
  wishes.window_positions = draw(1000, 2'000'000);
  wishes.cache = MiB(draw(0, 256));
  if (rng.Below(4) == 0) wishes.memory.on_overcommit = OnOvercommit::kRefuse;
  return input;
}

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
}

TEST(Planner, NeverPlansAboveABudget) {
  Rng rng(11);
  int fitted = 0;
  for (int round = 0; round < 1500; ++round) {
    const PlanInput input = RandomInput(rng);
    const Result<Plan> plan = MakePlan(input);
    if (!plan) {
      EXPECT_TRUE(plan.error().code == Errc::kNoMemory || plan.error().code == Errc::kInvalid);
      continue;
    }
    ++fitted;
    ExpectSound(input, *plan);
    if (::testing::Test::HasFailure()) FAIL() << "round " << round;
  }
  EXPECT_GT(fitted, 500);
}

TEST(Planner, ALargerBudgetNeverGivesUpMore) {
  Rng rng(12);
  for (int round = 0; round < 150; ++round) {
    PlanInput input = RandomInput(rng);
    std::array<int, 3> before = {1 << 20, 0, 0};
    bool fitted_before = false;
    for (int doubling = 0; doubling < 6; ++doubling) {
      const Result<Plan> plan = MakePlan(input);
      ASSERT_TRUE(plan || !fitted_before) << "round " << round << ": " << plan.error().message;
      if (plan) {
        const std::array<int, 3> now = {plan->host_rungs, plan->inference_rungs, plan->train_rungs};
        EXPECT_LE(now, before) << "round " << round;
        before = now;
        fitted_before = true;
      }
      input.device.ram = input.device.ram * 3 / 2;
      input.device.vram = input.device.vram * 3 / 2;
    }
  }
}

// What lets the planner skip a host rung whose last train and inference rungs do not fit.
TEST(Ladder, MemoryOnlyFallsDownALadder) {
  Rng rng(13);
  for (int round = 0; round < 300; ++round) {
    PlanInput input = RandomInput(rng);
    input.device.ram = input.device.vram = GiB(1 << 22);
    const Plan ideal = PlanOf(input);
    const auto expect_falling = [&](const std::vector<Plan>& rungs) {
      Bytes ram = Peak(ideal.ram);
      Bytes vram = Peak(ideal.vram);
      for (Plan rung : rungs) {
        rung.worker_bytes = WorkerBytes(input, rung);
        EXPECT_LE(Peak(RamBill(input, rung)), ram) << "round " << round;
        EXPECT_LE(Peak(VramBill(input, rung)), vram) << "round " << round;
        ram = Peak(RamBill(input, rung));
        vram = Peak(VramBill(input, rung));
      }
    };
    expect_falling(InferenceLadder(input, ideal));
    expect_falling(TrainLadder(input, ideal));
  }
}

TEST(Planner, TheSameInputGivesTheSamePlan) {
  const PlanInput input = Hex5x5();
  const Plan a = PlanOf(input);
  const Plan b = PlanOf(input);
  EXPECT_EQ(a.reasons, b.reasons);
  EXPECT_EQ(Peak(a.ram), Peak(b.ram));
  EXPECT_EQ(a.buckets, b.buckets);
}

TEST(Planner, FillsTwoCores) {
  const Plan plan = PlanOf(Hex5x5());
  EXPECT_EQ(plan.num_workers, 2);
  EXPECT_EQ(plan.arena_workers, 2);
  EXPECT_EQ(plan.runners, 2);
  EXPECT_EQ(plan.buckets.back(), 128);
  EXPECT_GE(plan.num_workers * plan.blocks * plan.rows, (plan.runners + 1) * 128);
  EXPECT_GE(plan.slots, 64);
  EXPECT_EQ(plan.learner_shards, 2);
  EXPECT_EQ(plan.micro_batch, 256);
  EXPECT_EQ(plan.accumulate, 1);
  EXPECT_EQ(plan.inference_precision, Precision::kBf16);
  EXPECT_EQ(plan.host_rungs + plan.train_rungs, 0);
  EXPECT_TRUE(plan.vram.empty());
}

TEST(Planner, KeepsWrittenNumbersThatFit) {
  PlanInput input = Hex5x5();
  input.wishes.num_workers = 5;
  input.wishes.arena_workers = 3;
  input.wishes.slots = 100;
  input.wishes.runners = 1;
  input.wishes.max_batch = 48;
  input.wishes.accumulate = 4;
  input.wishes.inference_precision = Precision::kFp32;
  const Plan plan = PlanOf(input);
  EXPECT_EQ(plan.num_workers, 5);
  EXPECT_EQ(plan.arena_workers, 3);
  EXPECT_EQ(plan.slots, 100);
  EXPECT_GE(plan.blocks * plan.rows, 100);
  EXPECT_EQ(plan.runners, 1);
  EXPECT_EQ(plan.buckets, (std::vector<int>{8, 16, 32, 48}));
  EXPECT_EQ(plan.micro_batch, 64);
  EXPECT_EQ(plan.inference_precision, Precision::kFp32);
}

TEST(Planner, DegradesTrainingBeforeWorkersWhenTrainingIsWhatDoesNotFit) {
  PlanInput input = Hex5x5();
  input.wishes.batch = 8192;
  input.device.ram = GiB(2);
  const Plan plan = PlanOf(input);
  EXPECT_GT(plan.train_rungs, 0);
  EXPECT_EQ(plan.host_rungs, 0);
  EXPECT_GE(std::int64_t{plan.micro_batch} * plan.accumulate * plan.learner_shards, 8192);
}

TEST(Planner, RefusesWrittenNumbersThatDoNotFitWhenTold) {
  PlanInput input = Hex5x5();
  input.wishes.num_workers = 256;
  input.wishes.slots = 4096;
  input.wishes.memory.on_overcommit = OnOvercommit::kRefuse;
  const Result<Plan> refused = MakePlan(input);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kInvalid);
  EXPECT_NE(refused.error().message.find("num_workers"), std::string::npos)
      << refused.error().message;
  input.wishes.memory.on_overcommit = OnOvercommit::kDegrade;
  EXPECT_LT(PlanOf(input).slots, 4096);
}

// The message's figure is the truth: with it a plan fits, a MiB below it none does.
TEST(Planner, NamesTheLeastThatWouldDo) {
  for (PlanInput input : {Hex5x5(), OnGpu(MiB(300))}) {
    if (input.device.kind == DeviceKind::kCpu)
      input.wishes.memory.ram_budget = MemorySize{MiB(200), 0};
    const Result<Plan> plan = MakePlan(input);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, Errc::kNoMemory);
    const std::string& message = plan.error().message;
    const std::string mark = "the least that would do is ";
    const auto at = message.find(mark);
    ASSERT_NE(at, std::string::npos) << message;
    const std::string text =
        message.substr(at + mark.size(), message.find(" (free") - at - mark.size());
    const Bytes least = ParseBytes(text).value();
    const auto fits = [&](Bytes budget) {
      PlanInput other = input;
      if (input.device.kind == DeviceKind::kCpu) {
        other.wishes.memory.ram_budget = MemorySize{budget, 0};
      } else {
        other.device.vram = budget;
      }
      return MakePlan(other).has_value();
    };
    EXPECT_TRUE(fits(least)) << message;
    EXPECT_FALSE(fits(least - MiB(2))) << message;
  }
}

TEST(Planner, RefusesABudgetAboveWhatThereIs) {
  PlanInput input = Hex5x5();
  input.wishes.memory.ram_budget = MemorySize{GiB(9), 0};
  EXPECT_EQ(MakePlan(input).error().code, Errc::kInvalid);
}

TEST(Planner, VramDoesNotGrowWithWorkers) {
  PlanInput input = OnGpu(GiB(12));
  input.wishes.num_workers = 1;
  const Bytes one = Peak(PlanOf(input).vram);
  input.wishes.num_workers = 256;
  EXPECT_EQ(Peak(PlanOf(input).vram), one);
}

TEST(Planner, BillsCoverEveryPhaseAndNameEachTermOnce) {
  for (const PlanInput& input : {Hex5x5(), OnGpu(GiB(12))}) {
    const Plan plan = PlanOf(input);
    for (const std::vector<PhaseBill>& bills : {plan.ram, plan.vram}) {
      if (bills.empty()) continue;
      ASSERT_EQ(bills.size(), static_cast<std::size_t>(kNumPlanPhases));
      for (const PhaseBill& bill : bills) {
        std::vector<std::string> names;
        for (const BillTerm& term : bill.terms) names.push_back(term.name);
        std::ranges::sort(names);
        EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << EnumName(bill.phase);
      }
    }
  }
}

TEST(Throughput, WorkersFollowTheFormulas) {
  // memory.md section 7 by hand: t(128) = 100 + 10 * 128 = 1380 us.
  const Pipeline pipeline = {.time = {100, 10}, .runners = 2, .in_flight = 2, .rows_a_worker = 128};
  EXPECT_DOUBLE_EQ(pipeline.time.Micros(128), 1380);
  EXPECT_DOUBLE_EQ(Fill(pipeline, 1, 128), 128.0 / 384.0);  // rows bind: 3 batches of 128
  EXPECT_EQ(Fill(pipeline, 3, 128), 1.0);
  EXPECT_EQ(WorkersFor(pipeline, 128), 3);  // ceil(0.95 * 384 / 128)
  EXPECT_NEAR(RowsPerSecond(pipeline, 3, 128), 2 * 128 / 1380e-6, 1e-3);
  const Pipeline quick = {.time = {10, 1}, .runners = 1, .in_flight = 1, .rows_a_worker = 4096};
  EXPECT_EQ(WorkersFor(quick, 128), 4);  // ceil(0.95 * 4 * 128 / 138): the search binds
}

TEST(Throughput, TheKneeReachesNinetyFivePercent) {
  const ForwardTime time = {100, 1};
  const int knee = KneeBucket(time, 4096);
  const auto rate = [&](int bucket) { return bucket / time.Micros(bucket); };
  EXPECT_GE(rate(knee), 0.95 * rate(4096));
  EXPECT_LT(rate(knee / 2), 0.95 * rate(4096));
  EXPECT_EQ(KneeBucket({0, 1}, 4096), 8);
}

}  // namespace
}  // namespace az
