#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/bill.h"
#include "scheduler/ladder.h"
#include "scheduler/planner.h"
#include "scheduler/throughput.h"
#include "tests/scheduler/plan_testing.h"

// Plans made from what was measured and from what has failed.

namespace az {
namespace {

using testing::Hex5x5;
using testing::OnGpu;
using testing::PlanOf;

TEST(PlannerLearned, ARungTakenIsOneBelowWhatFits) {
  PlanInput input = OnGpu(GiB(12));
  const Plan first = PlanOf(input);
  input.rungs.train = 1;
  const Plan second = PlanOf(input);
  EXPECT_EQ(second.train_rungs, first.train_rungs + 1);
  EXPECT_EQ(second.inference_rungs, first.inference_rungs);
  EXPECT_EQ(second.num_workers, first.num_workers);
  input.rungs.train = 1000;
  EXPECT_TRUE(MakePlan(input)) << "the end of a ladder is the end";
}

// A failure is noted as a size that failed and as a rung; together they cost one step.
TEST(PlannerLearned, AFailureCostsOneStep) {
  PlanInput input = OnGpu(GiB(12));
  const Plan first = PlanOf(input);
  for (int failures = 1; failures <= 3; ++failures) {
    const Plan now = PlanOf(input);
    input.failed.push_back({.phase = PlanPhase::kTrain,
                            .rows = now.micro_batch * now.learner_shards,
                            .precision = now.train_precision,
                            .checkpoint_blocks = now.checkpoint_blocks});
    input.failed.push_back({.phase = PlanPhase::kSelfPlay,
                            .rows = now.buckets.back(),
                            .precision = now.inference_precision});
    input.rungs.train = failures;
    EXPECT_EQ(PlanOf(input).train_rungs, first.train_rungs + failures);
  }
  input.rungs.inference = 1;  // higher than where what failed leaves it: no step more
  PlanInput without = input;
  without.rungs.inference = 0;
  EXPECT_EQ(PlanOf(input).inference_rungs, PlanOf(without).inference_rungs);
}

// Where a rung was measured to take less than the formulas say of those below it, it is found
// though the last rungs do not fit.
TEST(PlannerLearned, FindsAMeasuredRungAboveOnesThatDoNotFit) {
  PlanInput input = OnGpu(GiB(12));
  input.net.rows = input.net.cols = 19;
  input.net.filters = 256;
  input.net.res_blocks = 20;
  input.device.ram = GiB(256);
  input.calibration.training.push_back({Precision::kBf16, 0, {MiB(1), Bytes(1)}, {1000, 10}});
  input.calibration.inference.push_back({Precision::kBf16, {Bytes(), MiB(4)}, {100, 1}});
  bool found = false;
  for (int mib = 12 << 10; mib > 300; mib -= 4) {
    input.device.vram = MiB(mib);
    const Result<Plan> plan = MakePlan(input);
    if (!plan) break;
    EXPECT_LE(Peak(plan->vram) + plan->vram_guard, plan->vram_budget);
    Plan last = *plan;
    TakeTraining(TrainLadder(input, *plan).back().plan, last);
    found |=
        plan->inference_rungs > 0 && VramPeak(input, last) + plan->vram_guard > plan->vram_budget;
    input.rungs.train = 1;  // the next rung may not fit: then one further down, or the same
    const Plan lower = PlanOf(input);
    EXPECT_LE(Peak(lower.vram) + lower.vram_guard, lower.vram_budget) << mib;
    input.rungs.train = 0;
  }
  EXPECT_TRUE(found);
}

TEST(PlannerLearned, NothingIsCalledMeasuredThatWasNot) {
  for (PlanInput input : {Hex5x5(), OnGpu(GiB(12))}) {
    const auto measured = [&input] {
      std::vector<std::string> names;
      const Plan plan = PlanOf(input);
      for (const std::vector<PhaseBill>& bills : {plan.ram, plan.vram}) {
        for (const PhaseBill& bill : bills) {
          for (const BillTerm& term : bill.terms) {
            if (term.basis == Basis::kMeasured && bill.phase == PlanPhase::kTrain) {
              names.push_back(term.name);
            }
          }
        }
      }
      return names;
    };
    EXPECT_EQ(measured(), std::vector<std::string>());
    input.calibration.context = MiB(70);
    const bool has_context = input.device.kind == DeviceKind::kCuda;
    EXPECT_EQ(measured(), std::vector<std::string>(has_context ? 1 : 0, "context"));
  }
}

// Batch sizes that were run are measured; a fit between and beyond them is a prediction.
TEST(PlannerLearned, OnlyTheSizesThatWereRunAreMeasured) {
  PlanInput input = Hex5x5();
  const Plan plain = PlanOf(input);
  const auto basis = [](const Plan& plan, PlanPhase phase) {
    const PhaseBill& bill = plan.ram[static_cast<std::size_t>(phase)];
    return std::ranges::find(bill.terms, "activations", &BillTerm::name)->basis;
  };
  const auto with = [&](int train_rows, int shards, int bucket, int runners) {
    PlanInput probed = input;
    probed.calibration.training.push_back(
        {plain.train_precision,
         plain.checkpoint_blocks,
         {MiB(1), KiB(200), {{train_rows, MiB(40)}}},
         TrainingTimeOf(input, plain.train_precision, plain.checkpoint_blocks),
         shards});
    probed.calibration.inference.push_back({plain.inference_precision,
                                            {MiB(1), KiB(2), {{bucket, MiB(1)}}},
                                            ForwardTimeOf(input, plain.inference_precision),
                                            runners});
    const Plan plan = PlanOf(probed);
    EXPECT_EQ(plan.micro_batch, plain.micro_batch);
    EXPECT_EQ(plan.runners, plain.runners);
    EXPECT_EQ(plan.buckets, plain.buckets);
    return std::pair(basis(plan, PlanPhase::kTrain), basis(plan, PlanPhase::kSelfPlay));
  };
  const int rows = plain.micro_batch;
  const int shards = plain.learner_shards;
  const int bucket = plain.buckets.back();
  constexpr Basis kSeen = Basis::kMeasured;
  constexpr Basis kFitted = Basis::kPredicted;
  EXPECT_EQ(basis(plain, PlanPhase::kTrain), kFitted);
  EXPECT_EQ(with(rows, shards, bucket, plain.runners), std::pair(kSeen, kSeen));
  EXPECT_EQ(with(rows / 2, shards, bucket * 2, plain.runners), std::pair(kFitted, kFitted));
  EXPECT_EQ(with(rows, shards + 1, bucket, plain.runners + 1), std::pair(kFitted, kFitted))
      << "as many at a time were not run";
}

TEST(PlannerLearned, RatesArePredictedInTheFormatsThatWereProbedAlone) {
  PlanInput input = OnGpu(GiB(12));
  ASSERT_EQ(PlanOf(input).train_precision, Precision::kBf16);
  input.calibration.inference.push_back({Precision::kBf16, {MiB(50), KiB(100)}, {100, 1}});
  EXPECT_EQ(PlanOf(input).rates, Basis::kAssumed) << "a step was not measured";
  input.calibration.training.push_back({Precision::kBf16, 2, {MiB(100), MiB(1)}, {1000, 10}});
  EXPECT_EQ(PlanOf(input).rates, Basis::kAssumed) << "nor one without checkpointing";
  input.calibration.training.front().checkpoint_blocks = 0;
  EXPECT_EQ(PlanOf(input).rates, Basis::kPredicted);
  input.calibration.inference.front().precision = Precision::kFp32;
  EXPECT_EQ(PlanOf(input).rates, Basis::kAssumed);
}

}  // namespace
}  // namespace az
