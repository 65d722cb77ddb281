#include "engine/loop/plan_run.h"

#include <gtest/gtest.h>

#include <utility>

#include "engine/config/plan_request.h"
#include "engine/loop/rungs.h"
#include "games/registry.h"
#include "scheduler/planner.h"

namespace az {
namespace {

PlannedRun Planned() {
  RunConfig config;
  config.game.name = "tic_tac_toe";
  config.engine.device = "cpu";
  return PlanRun(config).value();
}

TEST(PlanRun, WhatNobodyLearnedChangesNothing) {
  PlannedRun planned = Planned();
  const Plan before = planned.plan;
  MemoryState learned;
  EXPECT_EQ(PlanWithLearned(learned, planned), "");
  EXPECT_EQ(planned.plan.buckets, before.buckets);
  EXPECT_EQ(planned.plan.reasons, before.reasons);
}

// As a run or a tournament is started again after its batches ran out of memory.
TEST(PlanRun, ABatchThatFailedIsNotPlannedAgain) {
  PlannedRun planned = Planned();
  const int largest = planned.plan.buckets.back();
  MemoryState learned;
  TakeRungOf(Ladder::kInference, planned.plan, learned, SizesOf(planned.plan));
  EXPECT_NE(PlanWithLearned(learned, planned).find("1 of inference"), std::string::npos);
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
  EXPECT_NE(PlanWithLearned(learned, planned), "");
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
