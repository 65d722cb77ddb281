#include "engine/memory/rungs.h"

#include <gtest/gtest.h>

namespace az {
namespace {

Plan Planned() {
  Plan plan;
  plan.buckets = {8, 64, 128};
  plan.micro_batch = 256;
  plan.checkpoint_blocks = 0;
  plan.train_precision = Precision::kBf16;
  plan.lanes = 4;
  plan.slots = 96;
  return plan;
}

TEST(Rungs, TheSizesThatFailedAreThoseInForceNotThoseOfThePlan) {
  const Plan plan = Planned();
  MemoryState state;
  SizesInForce in_force = SizesOf(plan);
  NoteRung(Ladder::kTrain, {.rung = "halved", .micro_batch = 128}, plan, state, in_force);
  NoteRung(Ladder::kTrain, {.rung = "checkpointed", .checkpoint_blocks = 2}, plan, state, in_force);
  NoteRung(Ladder::kInference, {.rung = "halved", .largest_bucket = 64}, plan, state, in_force);
  EXPECT_EQ(state.rungs(), (RungsTaken{.train = 2, .inference = 1}));
  const std::vector<FailedSizes> failed = {{PlanPhase::kTrain, 256, Precision::kBf16, 0, true},
                                           {PlanPhase::kTrain, 128, Precision::kBf16, 0, true},
                                           {PlanPhase::kSelfPlay, 128, Precision::kFp32, 0, true}};
  EXPECT_EQ(state.failed, failed);
  EXPECT_EQ(in_force.micro_batch, 128);
  EXPECT_EQ(in_force.checkpoint_blocks, 2);
  EXPECT_EQ(in_force.largest_bucket, 64);
  const PlanInput learned = WithLearned({}, state);
  EXPECT_EQ(learned.rungs, state.rungs());
  EXPECT_EQ(learned.failed, failed);
}

// A training that is done again in its process goes down from the top.
TEST(Rungs, SizesThatTrainingHasComeDownToAreOneRungHoweverOftenTold) {
  const Plan plan = Planned();
  MemoryState state;
  SizesInForce in_force = SizesOf(plan);
  const std::vector<OomMessage> way = {
      {.rung = "halved", .micro_batch = 128, .checkpoint_blocks = 0},
      {.rung = "halved", .micro_batch = 64, .checkpoint_blocks = 0},
      {.rung = "checkpointed", .micro_batch = 64, .checkpoint_blocks = 2},
      {.rung = "halved", .micro_batch = 32, .checkpoint_blocks = 2}};
  for (const bool is_new : {true, false}) {
    for (const OomMessage& oom : way) {
      EXPECT_EQ(NoteRung(Ladder::kTrain, oom, plan, state, in_force), is_new) << oom.micro_batch;
    }
  }
  EXPECT_EQ(state.train.rungs, 4);
  EXPECT_EQ(state.failed.size(), 4u);
  EXPECT_EQ(in_force.micro_batch, 32);
  EXPECT_EQ(in_force.checkpoint_blocks, 2);
  EXPECT_TRUE(NoteRung(Ladder::kTrain,
                       {.rung = "halved", .micro_batch = 16, .checkpoint_blocks = 2}, plan, state,
                       in_force));
}

TEST(Rungs, RowsOfTrainingAreThoseOfAllShards) {
  Plan plan = Planned();
  plan.learner_shards = 4;
  MemoryState state;
  TakeRungOf(Ladder::kTrain, plan, state, SizesOf(plan));
  EXPECT_EQ(state.failed.at(0).rows, 4 * 256);
}

// Training that has gone to the processor: its failures are no rungs of the GPU's ladder.
TEST(Rungs, FailuresBesideAGpuAreSizesAlone) {
  PlanInput input;
  input.device.kind = DeviceKind::kCuda;
  Plan plan = Planned();
  plan.device = DeviceKind::kCuda;
  MemoryState state;
  TakeRungOf(Ladder::kTrain, plan, state, SizesOf(plan));
  plan.on_cpu.train = true;
  TakeRungOf(Ladder::kTrain, plan, state, SizesOf(plan));
  TakeRungOf(Ladder::kTrain, plan, state, {.micro_batch = 64});
  EXPECT_EQ(state.train.rungs, 3);
  EXPECT_FALSE(state.failed[0].on_cpu);
  EXPECT_TRUE(state.failed[1].on_cpu);
  EXPECT_EQ(WithLearned(input, state).rungs, (RungsTaken{.train = 1}));
  EXPECT_EQ(WithLearned(input, state).failed, state.failed);
  // The last is the first to be tried again.
  MemoryState climbed = Climbed(Climbed(state, Ladder::kTrain), Ladder::kTrain);
  EXPECT_EQ(climbed.failed, (std::vector<FailedSizes>{state.failed[0]}));
  input.device.kind = DeviceKind::kCpu;  // the run goes on without the GPU
  EXPECT_EQ(WithLearned(input, state).rungs, (RungsTaken{.train = 2}));
}

TEST(Rungs, LoadingAndGraphsAreOfTheInferenceLadder) {
  for (const char* where : {"inference", "load", "graph"}) {
    EXPECT_EQ(LadderOf({.where = where}), Ladder::kInference);
  }
  EXPECT_EQ(LadderOf({.where = "train"}), Ladder::kTrain);
}

TEST(Rungs, ClimbingForgetsTheLastFailureOfThatLadderAlone) {
  const Plan plan = Planned();
  MemoryState state;
  const SizesInForce in_force = SizesOf(plan);
  TakeRungOf(Ladder::kTrain, plan, state, in_force);
  TakeRungOf(Ladder::kInference, plan, state, in_force);
  const MemoryState climbed = Climbed(state, Ladder::kTrain);
  EXPECT_EQ(climbed.rungs(), (RungsTaken{.train = 0, .inference = 1}));
  ASSERT_EQ(climbed.failed.size(), 1u);
  EXPECT_EQ(climbed.failed[0].phase, PlanPhase::kSelfPlay);
}

TEST(Rungs, LanesAndTheirLayoutStayWhileProcessesRun) {
  Plan running = Planned();
  running.num_workers = running.arena_workers = 4;
  Plan next = Planned();
  next.lanes = next.num_workers = next.arena_workers = 8;
  next.slots = 32;
  next.micro_batch = 64;
  const Plan taken = OnTheSameLanes(next, running);
  EXPECT_EQ(taken.lanes, 4);
  EXPECT_EQ(taken.num_workers, 4);
  EXPECT_EQ(taken.arena_workers, 4);
  EXPECT_EQ(taken.slots, 96);
  EXPECT_EQ(taken.micro_batch, 64);
  EXPECT_FALSE(RunsAlike(taken, running)) << "the micro-batch follows at once";
  next.micro_batch = running.micro_batch;
  next.lanes = next.num_workers = next.arena_workers = 2;
  EXPECT_TRUE(RunsAlike(OnTheSameLanes(next, running), running)) << "fewer slots and workers wait";
  next.on_cpu.buckets = {8};
  EXPECT_FALSE(RunsAlike(OnTheSameLanes(next, running), running));
}

TEST(Rungs, TheSmallestBatchIsNotListed) {
  MemoryState state;
  SizesInForce in_force = SizesOf(Planned());
  in_force.largest_bucket = 8;
  TakeRungOf(Ladder::kInference, Planned(), state, in_force);
  EXPECT_EQ(state.inference.rungs, 1);
  EXPECT_TRUE(state.failed.empty());
}

// A run of before their place was kept had its device alone.
TEST(Rungs, FailuresOfUnknownPlaceAreOfTheRunsDevice) {
  const FailedSizes here{PlanPhase::kTrain, 256, Precision::kBf16, 1, true};
  const FailedSizes unknown{PlanPhase::kTrain, 128, Precision::kFp32, 0, false};
  for (const DeviceKind device : {DeviceKind::kCpu, DeviceKind::kCuda}) {
    MemoryState state;
    state.failed = {here};
    state.unplaced = {unknown};
    PlaceFailures(device, state);
    FailedSizes placed = unknown;
    placed.on_cpu = device == DeviceKind::kCpu;
    EXPECT_EQ(state.failed, (std::vector<FailedSizes>{placed, here}));
    EXPECT_TRUE(state.unplaced.empty());
  }
}

// Lessons of one device say nothing of the other, and are there when the run comes back.
TEST(Rungs, WhatWasLearnedOnAnotherDeviceIsPutAside) {
  Plan plan = Planned();
  plan.device = DeviceKind::kCuda;
  MemoryState state;
  MoveTo(DeviceKind::kCuda, state);
  TakeRungOf(Ladder::kTrain, plan, state, SizesOf(plan));
  TakeRungOf(Ladder::kHost, plan, state, SizesOf(plan));
  const MemoryState on_gpu = state;
  MoveTo(DeviceKind::kCuda, state);
  EXPECT_EQ(state, on_gpu);
  MoveTo(DeviceKind::kCpu, state);
  EXPECT_EQ(state.rungs(), RungsTaken{});
  EXPECT_TRUE(state.failed.empty());
  plan.device = DeviceKind::kCpu;
  TakeRungOf(Ladder::kTrain, plan, state, SizesOf(plan));
  state = Climbed(state, Ladder::kTrain);
  MoveTo(DeviceKind::kCuda, state);
  EXPECT_EQ(state.rungs(), on_gpu.rungs());
  EXPECT_EQ(state.failed, on_gpu.failed) << "climbing on the processor forgot none of them";
}

TEST(Rungs, TheHostsLadderListsNoSizes) {
  MemoryState state;
  TakeRungOf(Ladder::kInference, Planned(), state, SizesOf(Planned()));
  TakeRungOf(Ladder::kHost, Planned(), state, SizesOf(Planned()));
  EXPECT_EQ(state.rungs(), (RungsTaken{.train = 0, .inference = 1, .host = 1}));
  EXPECT_EQ(state.failed.size(), 1u);
  const MemoryState climbed = Climbed(state, Ladder::kHost);
  EXPECT_EQ(climbed.rungs(), (RungsTaken{.train = 0, .inference = 1, .host = 0}));
  EXPECT_EQ(climbed.failed.size(), 1u);
}

}  // namespace
}  // namespace az
