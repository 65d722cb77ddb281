#include "scheduler/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "scheduler/bill.h"
#include "scheduler/reasons.h"
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

TEST(Planner, SaysThatADeviceBudgetIsNothingToAProcessor) {
  // Each config that also fits a card writes one: that is nothing to warn of.
  const auto says_so = [](const PlanInput& input) {
    return std::ranges::any_of(PlanOf(input).reasons, [](const Reason& reason) {
      return reason.kind == ReasonKind::kChosen &&
             reason.text.find("memory.vram_budget") != std::string::npos;
    });
  };
  PlanInput input = Hex5x5();
  EXPECT_FALSE(says_so(input));
  input.wishes.memory.vram_budget = MemorySize{GiB(4), 0};
  EXPECT_TRUE(says_so(input));
  PlanInput card = OnGpu(GiB(12));
  card.wishes.memory.vram_budget = MemorySize{GiB(4), 0};
  EXPECT_FALSE(says_so(card));
  card.wishes.memory.vram_budget = MemorySize{MiB(64), 0};  // too little: another reason says it
  card.without_gpu = input.device;
  EXPECT_FALSE(says_so(card));
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
// `input` with a network of 96 million parameters.
PlanInput WithLargeNet(PlanInput input) {
  input.net.filters = 512;
  input.net.res_blocks = 20;
  return input;
}

TEST(Planner, NamesTheLeastThatWouldDo) {
  PlanInput small = Hex5x5();
  small.wishes.memory.ram_budget = MemorySize{MiB(200), 0};
  PlanInput large = WithLargeNet(Hex5x5());
  large.wishes.memory.ram_budget = MemorySize{GiB(2), 0};
  // Little host memory: no phase can go to the processor.
  PlanInput tight = WithLargeNet(OnGpu(GiB(1)));
  tight.device.ram = GiB(4);
  PlanInput tighter = tight;
  tighter.device.vram = MiB(1040);
  for (const PlanInput& input :
       {small, large, OnGpu(MiB(300)), WithLargeNet(OnGpu(MiB(900))), tight, tighter}) {
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

bool AnyReason(const Plan& plan, std::string_view text) {
  return std::ranges::any_of(plan.reasons, [text](const Reason& reason) {
    return reason.text.find(text) != std::string::npos;
  });
}

TEST(Planner, AReasonNamesTheConstraintThatRemovedTheNextBetterChoice) {
  PlanInput input = Hex5x5();
  input.wishes.batch = 8192;
  input.device.ram = GiB(2);
  const Plan plan = PlanOf(input);
  Plan better = plan;
  better.accumulate /= 2;
  better.micro_batch *= 2;
  const Bytes missing = RamPeak(input, better) + plan.ram_guard - plan.ram_budget;
  EXPECT_GT(missing, Bytes());
  EXPECT_TRUE(AnyReason(plan, StrCat("micro-batch ", better.micro_batch, " x ", better.accumulate,
                                     " needs ", FormatBytes(missing), " more host memory")))
      << Join(TextsOf(plan.reasons), "\n");
}

TEST(Planner, ChecksPointsBeforeItTrainsOnTooFewRows) {
  PlanInput input = OnGpu(GiB(40));
  input.net.rows = input.net.cols = 19;
  input.net.filters = 256;
  input.net.res_blocks = 20;
  input.device.ram = GiB(256);
  bool checkpointed = false;
  for (int mib = 40 << 10; mib > 512; mib = mib * 9 / 10) {
    input.device.vram = MiB(mib);
    const Result<Plan> plan = MakePlan(input);
    if (!plan || plan->on_cpu.train) break;
    checkpointed |= plan->checkpoint_blocks > 0;
    EXPECT_TRUE(plan->micro_batch >= 64 || plan->checkpoint_blocks > 0) << mib;
    EXPECT_EQ(plan->checkpoint_blocks == 0 || plan->checkpoint_blocks == 2, true);  // sqrt(20)/2
  }
  EXPECT_TRUE(checkpointed);
}

TEST(Planner, TakesMeasuredPeaksAndTimesWhereThereAreSome) {
  PlanInput input = OnGpu(GiB(12));
  input.calibration.context = MiB(300);
  input.calibration.training.push_back(
      {Precision::kBf16, 0, {MiB(100), MiB(1), {{512, MiB(612)}}}, {1000, 10}});
  input.calibration.inference.push_back({Precision::kBf16, {MiB(50), KiB(100)}, {100, 1}});
  const Plan plan = PlanOf(input);
  const PhaseBill& train = plan.vram[static_cast<std::size_t>(PlanPhase::kTrain)];
  const auto term = [&train](std::string_view name) {
    return *std::ranges::find(train.terms, name, &BillTerm::name);
  };
  EXPECT_EQ(term("context").bytes, MiB(300));
  EXPECT_EQ(term("context").basis, Basis::kMeasured);
  EXPECT_EQ(term("activations").bytes, MiB(612));  // 100 + 512 rows
  EXPECT_EQ(term("activations").basis, Basis::kMeasured);
  EXPECT_EQ(plan.rates, Basis::kPredicted);
  EXPECT_NEAR(plan.predicted_step_ms, 6.12, 0.2);
}

TEST(Planner, AConfirmingRunsResidualAndAWrittenGuardAreKeptFree) {
  PlanInput input = OnGpu(GiB(12));
  EXPECT_EQ(PlanOf(input).vram_guard, GiB(12) / 50);
  input.calibration.confirm_residual = MiB(200);
  EXPECT_EQ(PlanOf(input).vram_guard, MiB(600));
  input.wishes.memory.guard = MiB(64);
  EXPECT_EQ(PlanOf(input).vram_guard, MiB(64));
  EXPECT_EQ(PlanOf(input).ram_guard, MiB(64));
}

TEST(Planner, WhatFailedIsNotPlannedAgain) {
  PlanInput input = OnGpu(GiB(12));
  const Plan first = PlanOf(input);
  input.failed.push_back({.phase = PlanPhase::kTrain,
                          .rows = first.micro_batch,
                          .precision = first.train_precision,
                          .checkpoint_blocks = 0});
  const Plan second = PlanOf(input);
  EXPECT_EQ(second.micro_batch, first.micro_batch / 2);
  EXPECT_EQ(second.micro_batch * second.accumulate, first.micro_batch * first.accumulate);
  EXPECT_EQ(second.buckets, first.buckets) << "a training failure never shrinks inference";
  EXPECT_TRUE(AnyReason(second, "ran out of memory before"));
}

TEST(Planner, NoReasonSpeaksOfANumberThatWasGivenUp) {
  PlanInput input = Hex5x5();
  input.wishes.batch = 8192;
  input.device.ram = GiB(2);
  const Plan cut = PlanOf(input);
  EXPECT_GT(cut.accumulate, 1);
  EXPECT_FALSE(AnyReason(cut, "the batch fits in one go")) << Join(TextsOf(cut.reasons), "\n");
  PlanInput written = Hex5x5();
  written.wishes.num_workers = 256;
  written.wishes.slots = 4096;
  const Plan fewer = PlanOf(written);
  EXPECT_FALSE(AnyReason(fewer, "slots 4096: written")) << Join(TextsOf(fewer.reasons), "\n");
  EXPECT_TRUE(AnyReason(fewer, StrCat("slots ", fewer.slots, " instead of 4096")));
}

// The share of it that is the budget is the least budget.
TEST(Planner, NamesWhatMustBeAvailableForTheLeastBudget) {
  PlanInput input = Hex5x5();
  input.device.ram = MiB(100);
  const std::string message = MakePlan(input).error().message;
  const std::string mark = "(free some until ";
  const auto at = message.find(mark);
  ASSERT_NE(at, std::string::npos) << message;
  const std::string text = message.substr(at + mark.size());
  input.device.ram = ParseBytes(text.substr(0, text.find(" are available"))).value();
  EXPECT_TRUE(MakePlan(input)) << message;
  input.device.ram -= MiB(3);
  EXPECT_FALSE(MakePlan(input)) << message;
  input.wishes.memory.ram_budget = MemorySize{MiB(50), 0};
  EXPECT_EQ(MakePlan(input).error().message.find("until"), std::string::npos);
}

TEST(Planner, LeavesAGpuThatIsTooSmallWhenItMay) {
  PlanInput input = OnGpu(MiB(300));
  EXPECT_EQ(MakePlan(input).error().code, Errc::kNoMemory);
  input.without_gpu = Hex5x5().device;
  const Plan plan = PlanOf(input);
  EXPECT_EQ(plan.device, DeviceKind::kCpu);
  EXPECT_TRUE(plan.vram.empty());
  EXPECT_TRUE(AnyReason(plan, "everything on the processor"));
  input.device.vram = GiB(12);
  EXPECT_EQ(PlanOf(input).device, DeviceKind::kCuda);
}

TEST(Planner, SaysWhyAGpuThatIsThereIsNotUsed) {
  PlanInput input = Hex5x5();
  EXPECT_FALSE(AnyReason(PlanOf(input), "everything on the processor"));
  input.device.gpu_fault = "the driver of card supports CUDA 12.2";
  const Plan plan = PlanOf(input);
  EXPECT_EQ(plan.reasons.front().kind, ReasonKind::kFallback);
  EXPECT_TRUE(AnyReason(plan, "everything on the processor"));
  EXPECT_TRUE(AnyReason(plan, "supports CUDA 12.2"));
}

TEST(Planner, ConcurrentArenaModelsHaveTwiceTheBatchesInFlight) {
  PlanInput input = OnGpu(GiB(12));
  const Plan in_turn = PlanOf(input);
  input.wishes.arena_models = ArenaModels::kConcurrent;
  const Plan concurrent = PlanOf(input);
  EXPECT_EQ(concurrent.runners, 2 * in_turn.runners);
  EXPECT_GT(Peak(concurrent.vram), Peak(in_turn.vram));
}

// memory.model_sharing: per_worker is planned as it runs: a device process for each worker.
TEST(Planner, ANetworkInEveryProcessIsBilledForEveryProcess) {
  for (PlanInput input : {Hex5x5(), OnGpu(GiB(12))}) {
    input.device.ram = GiB(64);
    input.wishes.memory.model_sharing = ModelSharing::kPerWorker;
    const auto peaks = [&input](int workers) {
      input.wishes.num_workers = workers;
      input.wishes.arena_workers = workers;
      const Plan plan = PlanOf(input);
      EXPECT_EQ(plan.num_workers, workers);
      return PeakBytes{Peak(plan.ram), Peak(plan.vram)};
    };
    const PeakBytes one = peaks(1);
    const PeakBytes two = peaks(2);
    const PeakBytes ten = peaks(10);
    EXPECT_GT(ten.ram - one.ram, MiB(58) * 9);
    if (input.device.kind == DeviceKind::kCuda) {
      EXPECT_GT(ten.vram - one.vram, (two.vram - one.vram) * 8);
      EXPECT_GT(two.vram - one.vram, MiB(461)) << "a context each";
    }
  }
}

TEST(Planner, AFullCardMeansFewerWorkersWhenEachHasItsNetwork) {
  PlanInput input = OnGpu(GiB(4));
  input.wishes.num_workers = 10;
  EXPECT_EQ(PlanOf(input).num_workers, 10);
  input.wishes.memory.model_sharing = ModelSharing::kPerWorker;
  const Plan plan = PlanOf(input);
  EXPECT_LT(plan.num_workers, 10);
  EXPECT_LE(Peak(plan.vram) + plan.vram_guard, plan.vram_budget);
  input.wishes.memory.on_overcommit = OnOvercommit::kRefuse;
  EXPECT_EQ(MakePlan(input).error().code, Errc::kInvalid);
}

TEST(Planner, KeepsAWrittenSegmentThatFits) {
  PlanInput input = OnGpu(GiB(12));
  input.wishes.checkpointing = Checkpointing{3};
  EXPECT_EQ(PlanOf(input).checkpoint_blocks, 3);
  input.wishes.checkpointing = Checkpointing{200};
  EXPECT_EQ(PlanOf(input).checkpoint_blocks, 8) << "all blocks there are";
  input.wishes.checkpointing = Checkpointing::On();
  EXPECT_EQ(PlanOf(input).checkpoint_blocks, 1);  // sqrt(8) / 2
  input.wishes.checkpointing = Checkpointing::Off();
  EXPECT_EQ(PlanOf(input).checkpoint_blocks, 0);
}

TEST(Throughput, WorkersFollowTheFormulas) {
  // memory.md, The planner, by hand: t(128) = 100 + 10 * 128 = 1380 us.
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
