#include "scheduler/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "scheduler/bill.h"
#include "scheduler/throughput.h"
#include "tests/scheduler/plan_testing.h"

namespace az {
namespace {

using testing::Hex5x5;
using testing::OnGpu;
using testing::PlanOf;

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
