#include "engine/memory/plan_run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/files.h"
#include "engine/config/plan_json.h"
#include "engine/config/plan_request.h"
#include "engine/memory/rungs.h"
#include "games/registry.h"
#include "scheduler/planner.h"
#include "tests/engine/data/records.h"

namespace az {
namespace {

PlannedRun Planned() {
  RunConfig config;
  config.game.name = "tic_tac_toe";
  config.engine.device = "cpu";
  return PlanRun(config).value();
}

const std::filesystem::path kNoPlanFile;

TEST(PlanRun, WhatNobodyLearnedChangesNothing) {
  PlannedRun planned = Planned();
  const Plan before = planned.plan;
  MemoryState learned;
  learned.inference.clean = learned.train.clean = 3;  // as after each iteration without a failure
  EXPECT_EQ(PlanWithLearned(kNoPlanFile, learned, planned), "");
  EXPECT_EQ(planned.plan.buckets, before.buckets);
  EXPECT_EQ(planned.plan.reasons, before.reasons);
}

// As a run or a tournament is started again after its batches ran out of memory.
TEST(PlanRun, ABatchThatFailedIsNotPlannedAgain) {
  PlannedRun planned = Planned();
  const int largest = planned.plan.buckets.back();
  MemoryState learned;
  TakeRungOf(Ladder::kInference, planned.plan, learned, SizesOf(planned.plan));
  EXPECT_EQ(PlanWithLearned(kNoPlanFile, learned, planned),
            "memory: 1 rung(s) of inference given up earlier");
  EXPECT_LT(planned.plan.buckets.back(), largest);
}

// state.json of a build that did not keep where it was.
TEST(PlanRun, ABatchThatFailedOnAnUnknownDeviceFailedOnThisOne) {
  PlannedRun planned = Planned();
  const int largest = planned.plan.buckets.back();
  MemoryState learned;
  TakeRungOf(Ladder::kInference, planned.plan, learned, SizesOf(planned.plan));
  learned.unplaced = std::exchange(learned.failed, {});
  for (FailedSizes& sizes : learned.unplaced) sizes.on_cpu = false;
  EXPECT_NE(PlanWithLearned(kNoPlanFile, learned, planned), "");
  EXPECT_LT(planned.plan.buckets.back(), largest);
  ASSERT_EQ(learned.failed.size(), 1u);
  EXPECT_TRUE(learned.failed[0].on_cpu);
}

PlanInput OnCard(Bytes vram) {
  RunConfig config;
  config.game.name = "tic_tac_toe";
  config.engine.device = "auto";
  config.arena.mode = ArenaMode::kGpu;
  const DeviceFacts card = {.kind = DeviceKind::kCuda,
                            .name = "card",
                            .cores = 2,
                            .ram = GiB(8),
                            .vram = vram,
                            .fast_bf16 = true};
  PlanInput input = PlanInputFor(config, FindGame("tic_tac_toe", 0).value()->info(), card);
  input.without_gpu = DeviceFacts{.cores = 2, .ram = GiB(8), .fast_bf16 = true};
  return input;
}

// And the folder goes on without the GPU, where none of its sizes ever failed.
TEST(PlanRun, ABatchThatFailedOnAnUnknownDeviceFailedOnTheOneOfThePlanThen) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "plan.json";
  const PlanInput before = OnCard(GiB(8));
  const Plan on_gpu = MakePlan(before).value();
  ASSERT_EQ(on_gpu.device, DeviceKind::kCuda);
  ASSERT_TRUE(WriteFileAtomic(file, PlanJson(before, on_gpu)));
  PlannedRun planned = Planned();
  const int largest = planned.plan.buckets.back();
  MemoryState learned;
  learned.inference.rungs = 1;
  learned.unplaced = {{.phase = PlanPhase::kSelfPlay,
                       .rows = largest,
                       .precision = planned.plan.inference_precision}};
  EXPECT_EQ(PlanWithLearned(file, learned, planned), "");
  EXPECT_TRUE(learned.failed.empty());
  ASSERT_EQ(learned.elsewhere.failed.size(), 1u);
  EXPECT_FALSE(learned.elsewhere.failed[0].on_cpu);
  EXPECT_EQ(planned.plan.buckets.back(), largest);
}

// What workers gave on the processor was for networks in RAM.
TEST(PlanRun, RungsOfAnotherDeviceAreNotTakenAndComeBackWithIt) {
  const TemporaryFolder folder;
  const GameOps& game = *FindGame("tic_tac_toe", 0).value();
  MemoryState learned;
  learned.host.rungs = 1;
  PlannedRun on_cpu = Planned();
  const std::filesystem::path file = folder / "plan.json";
  ASSERT_TRUE(WriteFileAtomic(file, PlanJson(on_cpu.input, on_cpu.plan)));
  PlannedRun on_gpu = PlanOn(game, OnCard(GiB(8)), "auto").value();
  ASSERT_EQ(on_gpu.plan.device, DeviceKind::kCuda);
  EXPECT_EQ(PlanWithLearned(file, learned, on_gpu), "");
  EXPECT_EQ(on_gpu.plan.host_rungs, 0);
  // plan.json is still the processor's: the state itself knows.
  EXPECT_EQ(PlanWithLearned(file, learned, on_gpu), "");
  EXPECT_EQ(PlanWithLearned(file, learned, on_cpu),
            "memory: 1 rung(s) of the workers' memory given up earlier");
  EXPECT_EQ(on_cpu.plan.host_rungs, 1);
}

// A GPU that is too small, though the arena was to be there: its wishes are void from then on.
TEST(PlanRun, PlansAfterTheGpuWasTooSmallAreForTheProcessor) {
  const GameOps& game = *FindGame("tic_tac_toe", 0).value();
  PlannedRun planned = PlanOn(game, OnCard(MiB(200)), "auto").value();
  EXPECT_EQ(planned.engine_device, "cpu");
  EXPECT_EQ(planned.plan.device, DeviceKind::kCpu);
  const int largest = planned.plan.buckets.back();
  MemoryState learned;
  TakeRungOf(Ladder::kInference, planned.plan, learned, SizesOf(planned.plan));
  const Result<Plan> lower = MakePlan(WithLearned(planned.input, learned));
  ASSERT_TRUE(lower) << lower.error().message;
  EXPECT_EQ(lower->device, DeviceKind::kCpu);
  EXPECT_LT(lower->buckets.back(), largest);
}

}  // namespace
}  // namespace az
