#include "scheduler/placement.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "base/strings.h"
#include "scheduler/bill.h"
#include "scheduler/planner.h"
#include "scheduler/throughput.h"
#include "tests/scheduler/plan_testing.h"

namespace az {
namespace {

using testing::ExpectChangesAreTold;
using testing::Hex5x5;
using testing::OnGpu;
using testing::PlanOf;
using testing::RandomInput;

const PhaseBill& BillOf(const std::vector<PhaseBill>& bills, PlanPhase phase) {
  return *std::ranges::find(bills, phase, &PhaseBill::phase);
}
bool HasTerm(const PhaseBill& bill, std::string_view name) {
  return std::ranges::any_of(bill.terms,
                             [name](const BillTerm& term) { return term.name == name; });
}
bool HasReason(const Plan& plan, std::string_view text) {
  return std::ranges::any_of(plan.reasons, [text](const Reason& reason) {
    return reason.text.find(text) != std::string::npos;
  });
}

TEST(Placement, TheArenaGoesToTheProcessorWhenAsked) {
  PlanInput input = OnGpu(GiB(12));
  const Plan before = PlanOf(input);
  input.wishes.arena_mode = ArenaMode::kCpu;
  const Plan plan = PlanOf(input);
  EXPECT_TRUE(plan.on_cpu.arena);
  EXPECT_FALSE(plan.on_cpu.train);
  EXPECT_EQ(plan.on_cpu.buckets.back(), 128) << "past it a core gains nothing";
  EXPECT_GE(plan.on_cpu.runners, 1);
  EXPECT_GT(plan.on_cpu.allocator_cap, Bytes());
  EXPECT_EQ(plan.buckets, before.buckets) << "self-play is as it was";
  EXPECT_EQ(plan.micro_batch, before.micro_batch);
  EXPECT_EQ(plan.price.moved, 0) << "it was asked for";
  EXPECT_TRUE(HasReason(plan, "arena on the processor instead of the GPU, "));
  // Nothing of the run is on the GPU meanwhile, and the networks are in host memory.
  EXPECT_EQ(BillOf(plan.vram, PlanPhase::kArena).total(), Bytes());
  EXPECT_EQ(BasisOfTotal(BillOf(plan.vram, PlanPhase::kArena)), Basis::kPredicted);
  EXPECT_EQ(BillOf(plan.vram, PlanPhase::kSelfPlay).total(),
            BillOf(before.vram, PlanPhase::kSelfPlay).total());
  EXPECT_TRUE(HasTerm(BillOf(plan.ram, PlanPhase::kArena), "weights candidate"));
  EXPECT_FALSE(HasTerm(BillOf(plan.ram, PlanPhase::kSelfPlay), "weights best"));
}

TEST(Placement, ModesThatContradictTheDeviceAreRefused) {
  PlanInput gpu = OnGpu(GiB(12));
  gpu.wishes.arena_mode = ArenaMode::kGpu;
  EXPECT_TRUE(MakePlan(gpu));
  gpu.wishes.arena_mode = ArenaMode::kCpu;
  gpu.wishes.memory.model_sharing = ModelSharing::kPerWorker;
  EXPECT_EQ(MakePlan(gpu).error().code, Errc::kInvalid);
  PlanInput cpu = Hex5x5();
  cpu.wishes.arena_mode = ArenaMode::kCpu;
  EXPECT_FALSE(PlanOf(cpu).on_cpu.any()) << "it is there anyway";
  cpu.wishes.arena_mode = ArenaMode::kGpu;
  EXPECT_EQ(MakePlan(cpu).error().code, Errc::kInvalid);
}

// Go 19x19 with 256 x 20: even 8 checkpointed rows want more than self-play does.
PlanInput LargeNet(Bytes vram) {
  PlanInput input = OnGpu(vram);
  input.net.rows = input.net.cols = 19;
  input.net.planes = 17;
  input.net.actions = 362;
  input.net.filters = 256;
  input.net.res_blocks = 20;
  input.game = {.words = 17 * 6, .branching = 362, .max_plies = 722};
  return input;
}

TEST(Placement, TrainingGoesToTheProcessorBeforeARunIsRefused) {
  // The least with which all is on the GPU.
  Bytes vram = MiB(512);
  while (true) {
    const Result<Plan> plan = MakePlan(LargeNet(vram));
    if (plan && !plan->on_cpu.any()) break;
    ASSERT_LT(vram, GiB(8));
    vram += MiB(16);
  }
  const Plan on_gpu = PlanOf(LargeNet(vram));
  PlanInput input = LargeNet(vram - MiB(32));
  const Plan plan = PlanOf(input);
  EXPECT_TRUE(plan.on_cpu.train);
  EXPECT_FALSE(plan.on_cpu.arena) << "it fits on the GPU";
  EXPECT_GT(plan.price, on_gpu.price);
  EXPECT_EQ(plan.price.moved, 2);
  EXPECT_TRUE(HasReason(plan, ": too little device memory: "));
  EXPECT_EQ(BillOf(plan.vram, PlanPhase::kTrain).total(), Bytes());
  EXPECT_TRUE(HasTerm(BillOf(plan.ram, PlanPhase::kTrain), "optimizer"));
  EXPECT_GT(plan.learner_shards, 1) << "the processor's sizes";
  EXPECT_GE(plan.micro_batch * plan.accumulate * plan.learner_shards, input.wishes.batch);
  input.wishes.memory.on_overcommit = OnOvercommit::kRefuse;
  EXPECT_FALSE(MakePlan(input)) << "nothing is moved without leave";
}

// 96 million parameters and 10 workers, which a card of 2 GiB cannot train.
PlanInput TrainedOnTheProcessor(Bytes ram) {
  PlanInput input = OnGpu(MiB(1792));
  input.device.cores = 8;
  input.device.ram = ram;
  input.device.cpu_fast_bf16 = true;
  input.net.filters = 512;
  input.net.res_blocks = 20;
  input.wishes.num_workers = input.wishes.arena_workers = 10;
  input.wishes.slots = 64;
  return input;
}

TEST(Placement, WhatTheProcessorLacksIsPricedAndTold) {
  const Plan roomy = PlanOf(TrainedOnTheProcessor(GiB(32)));
  ASSERT_TRUE(roomy.on_cpu.train);
  EXPECT_EQ(roomy.num_workers, 10);
  EXPECT_EQ(roomy.price.written, 0);
  EXPECT_TRUE(HasReason(roomy, "num_workers 10: written in the config"));
  const PlanInput tight_input = TrainedOnTheProcessor(MiB(7800));
  const Plan tight = PlanOf(tight_input);
  ASSERT_TRUE(tight.on_cpu.train);
  EXPECT_LT(tight.num_workers, 10);
  EXPECT_GT(tight.price, roomy.price);
  EXPECT_GT(tight.price.written, 0);
  ExpectChangesAreTold(tight_input, tight);
  EXPECT_FALSE(HasReason(tight, "num_workers 10: written in the config"));
  EXPECT_TRUE(HasReason(tight, StrCat("num_workers ", tight.num_workers, " instead of 10")));
  EXPECT_TRUE(HasReason(tight, " more host memory")) << "what stood in the way";
  EXPECT_EQ(tight.predicted_rows_per_s, PredictedRowsPerSecond(tight_input, tight));
}

TEST(Placement, AMicroBatchWrittenForTheGpuDoesNotCountOnTheProcessor) {
  PlanInput input = TrainedOnTheProcessor(GiB(12));
  const Plan open = PlanOf(input);
  input.wishes.accumulate = 2 * open.accumulate;
  const Plan plan = PlanOf(input);
  ASSERT_TRUE(plan.on_cpu.train);
  EXPECT_EQ(plan.accumulate, open.accumulate);
  EXPECT_EQ(plan.micro_batch, open.micro_batch);
  EXPECT_EQ(plan.price.written, open.price.written + 1);
  ExpectChangesAreTold(input, plan);
  EXPECT_TRUE(HasReason(plan, "does not count on the processor"));
}

TEST(Placement, TrainingThatFailedAtEverySizeOfTheGpuGoesToTheProcessor) {
  PlanInput input = OnGpu(GiB(12));
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    for (const int blocks : {0, 1}) {
      input.failed.push_back({PlanPhase::kTrain, 1, precision, blocks});
    }
  }
  const Plan plan = PlanOf(input);
  EXPECT_TRUE(plan.on_cpu.train);
  EXPECT_FALSE(plan.on_cpu.arena);
}

FailedSizes TrainingOf(const Plan& plan) {
  return {.phase = PlanPhase::kTrain,
          .rows = plan.micro_batch * plan.learner_shards,
          .precision = plan.train_precision,
          .checkpoint_blocks = plan.checkpoint_blocks,
          .on_cpu = plan.on_cpu.train};
}

TEST(Placement, WhatFailedOnTheProcessorIsNotPlannedThereAgain) {
  PlanInput input = TrainedOnTheProcessor(GiB(32));
  const Plan first = PlanOf(input);
  ASSERT_TRUE(first.on_cpu.train);
  input.failed = {TrainingOf(first)};
  const Plan second = PlanOf(input);
  ASSERT_TRUE(second.on_cpu.train);
  EXPECT_LT(second.micro_batch * second.learner_shards, first.micro_batch * first.learner_shards);
  EXPECT_GE(second.micro_batch * second.learner_shards * second.accumulate, input.wishes.batch);
  EXPECT_EQ(second.buckets, first.buckets) << "a training failure never shrinks inference";
  EXPECT_EQ(second.num_workers, first.num_workers);
  EXPECT_TRUE(HasReason(second, "on the processor "));
  EXPECT_TRUE(HasReason(second, "ran out of memory before"));
  input.failed[0].on_cpu = false;  // the same of the GPU says nothing of the processor
  EXPECT_EQ(PlanOf(input).micro_batch, first.micro_batch);
  input.failed.clear();
  EXPECT_EQ(PlanOf(input).micro_batch, first.micro_batch) << "climbed back";
}

// Of the processor's failures in a row, as of those of a GPU.
TEST(Placement, EachFailureOnTheProcessorGivesUpSomethingAndNothingBack) {
  Rng rng(5);
  int steps = 0;
  int ends = 0;
  for (int round = 0; round < 300; ++round) {
    PlanInput input = TrainedOnTheProcessor(MiB(rng.Below(24'000)) + GiB(8));
    input.device.cores = 1 + static_cast<int>(rng.Below(16));
    input.device.cpu_fast_bf16 = rng.Below(2) == 0;
    input.wishes.cache = MiB(rng.Below(256));
    Result<Plan> plan = MakePlan(input);
    if (!plan) continue;
    ASSERT_TRUE(plan->on_cpu.train);
    while (true) {
      input.failed.push_back(TrainingOf(*plan));
      Result<Plan> next = MakePlan(input);
      if (!next) {
        EXPECT_EQ(next.error().code, Errc::kNoMemory);
        ++ends;
        break;
      }
      ++steps;
      ASSERT_TRUE(next->on_cpu.train);
      const bool keeps_less = plan->checkpoint_blocks == 0 && next->checkpoint_blocks > 0;
      EXPECT_TRUE(keeps_less || next->micro_batch * next->learner_shards <
                                    plan->micro_batch * plan->learner_shards);
      EXPECT_GE(next->host_rungs, plan->host_rungs);
      EXPECT_EQ(next->buckets, plan->buckets);
      EXPECT_LE(Peak(next->ram) + next->ram_guard, next->ram_budget);
      EXPECT_LE(Peak(next->vram) + next->vram_guard, next->vram_budget);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "round " << round;
      plan = std::move(next);
    }
  }
  EXPECT_GT(steps, 500);
  EXPECT_GT(ends, 100);
}

// Memory that ran out is not what training may take next.
TEST(Placement, WhatTheHostGivesUpTrainingDoesNotTake) {
  int trained = 0;
  for (Bytes ram = GiB(4); ram < GiB(16); ram += MiB(128)) {
    PlanInput input = TrainedOnTheProcessor(ram);
    input.wishes.num_workers = input.wishes.arena_workers = 40;
    input.wishes.slots = 512;
    const Result<Plan> plan = MakePlan(input);
    if (!plan || !plan->on_cpu.train) continue;
    ++trained;
    input.rungs.host = 1;
    const Plan lower = PlanOf(input);
    EXPECT_LE(Peak(lower.ram), Peak(plan->ram)) << FormatBytes(ram);
    EXPECT_LE(lower.learner_shards, plan->learner_shards) << FormatBytes(ram);
  }
  EXPECT_GT(trained, 20);
}

TEST(Placement, BudgetsHoldInEveryPhaseAndMoreMemoryMovesNothingAway) {
  Rng rng(31);
  int moved = 0;
  for (int round = 0; round < 1500; ++round) {
    PlanInput input = RandomInput(rng);
    input.device.kind = DeviceKind::kCuda;
    input.device.cpu_fast_bf16 = rng.Below(2) == 0;
    input.wishes.memory.model_sharing = ModelSharing::kShared;
    if (rng.Below(3) == 0) input.wishes.arena_mode = ArenaMode::kCpu;
    const Result<Plan> plan = MakePlan(input);
    if (!plan) continue;
    if (plan->on_cpu.any()) ++moved;
    EXPECT_LE(Peak(plan->ram) + plan->ram_guard, plan->ram_budget);
    EXPECT_LE(Peak(plan->vram) + plan->vram_guard, plan->vram_budget);
    ExpectChangesAreTold(input, *plan);
    EXPECT_EQ(PeaksOf(input, *plan).ram, Peak(plan->ram));
    EXPECT_EQ(PeaksOf(input, *plan).vram, Peak(plan->vram));
    EXPECT_EQ(plan->lanes, std::max(plan->num_workers, plan->arena_workers));
    input.device.ram = input.device.ram * 2;
    input.device.vram = input.device.vram * 2;
    const Result<Plan> larger = MakePlan(input);
    ASSERT_TRUE(larger) << "round " << round << ": " << larger.error().message;
    EXPECT_LE(larger->price, plan->price);
    if (::testing::Test::HasFailure()) FAIL() << "round " << round;
  }
  EXPECT_GT(moved, 50);
}

}  // namespace
}  // namespace az
