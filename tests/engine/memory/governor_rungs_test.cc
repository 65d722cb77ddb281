// When the Governor takes rungs, climbs back, and looks at what others take.

#include "engine/memory/governor.h"
#include "tests/engine/memory/governor_fixture.h"

namespace az {
namespace {

OomMessage TrainOom(int micro_batch) {
  return {.where = "train",
          .text = "out of memory: tried \"118 MiB\"",
          .rung = "micro-batch halved",
          .requested_bytes = MiB(118).count(),
          .free_bytes = MiB(35).count(),
          .micro_batch = micro_batch,
          .memory = {.allocated_bytes = MiB(100).count(), .reserved_bytes = MiB(200).count()}};
}

TEST_F(GovernorTest, AFailureIsARungRememberedAndPlannedWith) {
  const int planned = governor_->plan().micro_batch;
  const int shards = governor_->plan().learner_shards;
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  fleet_.ooms = {TrainOom(planned / 2)};
  Ticks(1);
  EXPECT_TRUE(fleet_.plans.empty());  // not within the phase
  ASSERT_TRUE(governor_->EndPhase());
  EXPECT_EQ(state_.train.rungs, 1);
  ASSERT_EQ(state_.failed.size(), 1u);
  EXPECT_EQ(state_.failed[0].rows, planned * shards) << "rows of all shards";
  ASSERT_EQ(fleet_.plans.size(), 1u);
  const std::vector<Json> ooms = Lines("event", "oom");
  ASSERT_EQ(ooms.size(), 1u);
  EXPECT_EQ(ooms[0].at("cause"), "fragmentation");  // 100 cached and 35 free would do
  EXPECT_EQ(ooms[0].at("rung"), "micro-batch halved");
  EXPECT_EQ(Lines("event", "planned_again").size(), 1u);
  const Json plan = Json::parse(ReadFile(folder_ + "/plan.json").value());
  EXPECT_EQ(plan.at("plan").at("micro_batch"), governor_->plan().micro_batch);
}

TEST_F(GovernorTest, ClimbsBackAfterCleanIterationsAndWaitsLongerEachTime) {
  std::vector<int> climbed_after;
  for (int round = 0; round < 3; ++round) {
    governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
    fleet_.ooms = {TrainOom(64)};
    ASSERT_TRUE(governor_->EndPhase());
    ASSERT_TRUE(governor_->EndIteration(Bytes()));
    ASSERT_EQ(state_.train.rungs, 1);
    int iterations = 0;
    while (state_.train.rungs > 0) {
      ASSERT_LT(++iterations, 100);
      Iteration();
    }
    climbed_after.push_back(iterations);
    EXPECT_TRUE(state_.failed.empty());
  }
  EXPECT_EQ(climbed_after, (std::vector<int>{2, 4, 8}));
}

// The next start ends the same iteration again, and a rung must not come back the earlier for it.
TEST_F(GovernorTest, AnIterationThatAStopEndsTwiceIsCountedOnce) {
  fleet_.ooms = {TrainOom(64)};
  Phase(PlanPhase::kTrain);
  fleet_.ooms = {{.where = "inference", .rung = "smaller", .largest_bucket = 32}};
  Phase(PlanPhase::kSelfPlay);
  ASSERT_TRUE(governor_->EndIteration(Bytes(), 0));
  state_.train.clean = 1;  // it climbs first
  fleet_.applied = Error{Errc::kStopped, "stopped by a signal"};
  EXPECT_EQ(governor_->EndIteration(Bytes(), 1).error().code, Errc::kStopped);
  EXPECT_EQ(state_.inference.clean, 1) << "though the other one's plan was stopped";
  const MemoryState stopped = state_;
  Make();
  ASSERT_TRUE(governor_->EndIteration(Bytes(), 1));
  EXPECT_EQ(state_, stopped);
  ASSERT_TRUE(governor_->EndIteration(Bytes(), 2));
  EXPECT_EQ(state_.inference.rungs, 0);
}

// The micro-batch is the processor's, and so is what is learned; then it is climbed back.
TEST_F(GovernorTest, TrainingBesideAGpuTakesRungsOfItsOwnLadder) {
  input_.net.filters = 512;
  input_.net.res_blocks = 20;
  input_.wishes.memory.ram_budget = MemorySize{GiB(7), 0};
  input_.device.kind = DeviceKind::kCuda;
  input_.device.vram = input_.device.vram_total = MiB(1600);
  Make();
  const Plan before = governor_->plan();
  ASSERT_TRUE(before.on_cpu.train);
  ASSERT_GT(before.micro_batch, 8);
  ASSERT_TRUE(governor_->Prepare(PlanPhase::kTrain));
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  fleet_.ooms = {TrainOom(before.micro_batch / 2)};
  ASSERT_TRUE(governor_->EndPhase());
  EXPECT_EQ(state_.rungs(), (RungsTaken{.train = 1}));
  ASSERT_EQ(state_.failed.size(), 1u);
  EXPECT_TRUE(state_.failed[0].on_cpu);
  const Plan after = governor_->plan();
  EXPECT_TRUE(after.on_cpu.train);
  const bool recomputes = before.checkpoint_blocks == 0 && after.checkpoint_blocks > 0;
  EXPECT_TRUE(recomputes || after.micro_batch * after.learner_shards <
                                before.micro_batch * before.learner_shards);
  EXPECT_EQ(after.cache, before.cache);
  EXPECT_EQ(after.buckets, before.buckets);
  ASSERT_TRUE(governor_->EndIteration(Bytes()));
  for (int iteration = 0; iteration < 2; ++iteration) Iteration();
  EXPECT_EQ(state_.train.rungs, 0);
  EXPECT_TRUE(state_.failed.empty());
  EXPECT_EQ(governor_->plan().micro_batch, before.micro_batch);
  EXPECT_EQ(governor_->plan().checkpoint_blocks, before.checkpoint_blocks);
}

TEST_F(GovernorTest, CleaningUpAloneIsNoRung) {
  OomMessage oom = TrainOom(0);
  oom.rung.clear();
  fleet_.ooms = {oom};
  Phase(PlanPhase::kTrain);
  EXPECT_EQ(state_.train.rungs, 0);
  EXPECT_TRUE(fleet_.plans.empty());
  EXPECT_EQ(Lines("event", "oom").at(0).at("rung"), "cleaned up");
}

TEST_F(GovernorTest, NearTheBudgetARungIsTakenAtTheBoundary) {
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  fleet_.use.device = MiB(2010);
  Ticks(3);
  EXPECT_EQ(state_.train.rungs, 0);
  ASSERT_TRUE(governor_->EndPhase());
  EXPECT_EQ(state_.train.rungs, 1);
  EXPECT_EQ(Lines("event", "threshold").at(0).at("step"), "rung");
}

// A rung a boundary while it does not help, and one word when there is none left.
TEST_F(GovernorTest, StillNearTheBudgetTheNextRungIsTakenUntilNoPlanIsSmaller) {
  input_.wishes.memory.climb_after = 1;
  Make();
  fleet_.use.device = MiB(2010);
  for (int phases = 1; phases <= 2; ++phases) {
    Iteration();
    EXPECT_EQ(state_.train.rungs, phases);
    EXPECT_EQ(fleet_.plans.size(), static_cast<std::size_t>(phases));
  }
  for (int phases = 0; phases < 20; ++phases) Iteration();
  const int least = state_.train.rungs;
  const auto plans = static_cast<std::size_t>(least + state_.host.rungs);
  EXPECT_EQ(fleet_.plans.size(), plans) << "each was a smaller plan";
  EXPECT_LT(least, 20);
  EXPECT_EQ(governor_->plan().micro_batch, 8);
  const std::vector<Json> ends = Lines("event", "no_smaller_plan");
  ASSERT_EQ(ends.size(), 1u);
  const auto text = ends[0].at("text").get<std::string>();
  EXPECT_NE(text.find("memory was short in train"), std::string::npos) << text;
  EXPECT_NE(text.find("memory.ram_budget"), std::string::npos) << text;
  EXPECT_EQ(Lines("event", "planned_again").size(), plans);
  fleet_.use.device = MiB(300);
  Iteration();
  EXPECT_EQ(state_.train.rungs, least - 1) << "climbs when memory is there again";
}

TEST_F(GovernorTest, WhereOneLadderEndsTheOtherGoesOn) {
  fleet_.use.device = MiB(2010);
  for (int iteration = 0; iteration < 20; ++iteration) {
    Phase(PlanPhase::kSelfPlay);
    Phase(PlanPhase::kTrain);
  }
  EXPECT_EQ(governor_->plan().buckets.back(), 8);
  EXPECT_EQ(governor_->plan().micro_batch, 8);
  EXPECT_EQ(Lines("event", "no_smaller_plan").size(), 2u) << "once a ladder";
}

// The smallest batches are on no list of what failed; the ladder ends there all the same.
TEST_F(GovernorTest, TheLastRungOfInferenceIsNotTakenAgain) {
  fleet_.use.device = MiB(2010);
  for (int phases = 0; phases < 20; ++phases) Phase(PlanPhase::kSelfPlay);
  EXPECT_EQ(governor_->plan().buckets.back(), 8);
  EXPECT_EQ(state_.inference.rungs, governor_->plan().inference_rungs);
  EXPECT_EQ(Lines("event", "no_smaller_plan").size(), 1u);
}

TEST_F(GovernorTest, WhatTheDeviceGaveUpWithoutASmallerPlanIsToldOnce) {
  for (int phases = 0; phases < 20; ++phases) {
    fleet_.ooms = {TrainOom(4)};  // fewer rows than any plan has
    Phase(PlanPhase::kTrain);
  }
  const std::vector<Json> ends = Lines("event", "no_smaller_plan");
  ASSERT_EQ(ends.size(), 1u);
  const auto text = ends[0].at("text").get<std::string>();
  EXPECT_NE(text.find("an allocation failed"), std::string::npos) << text;
}

// What is seen while the device follows a plan is of the one before.
TEST_F(GovernorTest, AShortageWhileAPlanIsTakenAsksForNoRung) {
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  fleet_.ooms = {TrainOom(64)};
  fleet_.on_apply = [this] {
    fleet_.use.device = MiB(2010);
    Ticks(2);
    fleet_.use.device = MiB(300);
  };
  ASSERT_TRUE(governor_->EndPhase());
  fleet_.on_apply = {};
  Phase(PlanPhase::kTrain);
  EXPECT_EQ(state_.train.rungs, 1);
  fleet_.use.device = MiB(2010);
  Phase(PlanPhase::kTrain);
  EXPECT_EQ(state_.train.rungs, 2) << "it asks again when that lasts";
}

// Each is a failure of its ladder, as an allocation is: the rung is not given back at once.
TEST_F(GovernorTest, AnIterationThatWasShortOfMemoryIsNotClean) {
  input_.wishes.memory.climb_after = 1;
  Make();
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  fleet_.use.device = MiB(2010);
  Ticks(3);
  ASSERT_TRUE(governor_->EndPhase());
  fleet_.use.device = MiB(300);
  ASSERT_TRUE(governor_->EndIteration(Bytes()));
  EXPECT_EQ(state_.train.rungs, 1);
  Iteration();
  EXPECT_EQ(state_.train.rungs, 0);
}

TEST_F(GovernorTest, AnIterationWhoseAllocatorHadToRetryIsNotClean) {
  input_.wishes.memory.climb_after = 1;
  Make();
  for (const int retries : {1, 2}) {
    fleet_.released.before.alloc_retries = retries;
    Iteration();
  }
  EXPECT_EQ(state_.train.rungs, 1);
  Iteration();  // no new ones
  EXPECT_EQ(state_.train.rungs, 0);
}

TEST_F(GovernorTest, AnAllocatorThatRetriesInTwoTrainingsTakesARung) {
  fleet_.released.before.alloc_retries = 1;
  Phase(PlanPhase::kTrain);
  EXPECT_EQ(state_.train.rungs, 0);
  Phase(PlanPhase::kSelfPlay);
  fleet_.released.before.alloc_retries = 4;
  Phase(PlanPhase::kTrain);
  EXPECT_EQ(state_.train.rungs, 1);
  Phase(PlanPhase::kTrain);  // no new ones
  EXPECT_EQ(state_.train.rungs, 1);
}

TEST_F(GovernorTest, RetriesOfOtherPhasesAreNoTrainings) {
  for (int iteration = 0; iteration < 4; ++iteration) {
    ++fleet_.released.before.alloc_retries;
    Phase(PlanPhase::kSelfPlay);
    Phase(PlanPhase::kTrain);
  }
  EXPECT_EQ(state_.train.rungs, 0);
}

TEST_F(GovernorTest, WhatFailsWhileTheDeviceTakesAPlanIsKept) {
  fleet_.on_apply = [this] {
    fleet_.on_apply = {};
    fleet_.ooms = {{.where = "inference", .rung = "smaller", .largest_bucket = 8}};
    governor_->Tick();
  };
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  fleet_.ooms = {TrainOom(64)};
  ASSERT_TRUE(governor_->EndPhase());
  EXPECT_EQ(state_.rungs(), (RungsTaken{.train = 1, .inference = 1}));
  EXPECT_EQ(state_.failed.size(), 2u);
  Phase(PlanPhase::kArena);  // it is planned with at the next boundary
  ASSERT_EQ(fleet_.plans.size(), 2u);
  EXPECT_LT(fleet_.plans[1].buckets.back(), fleet_.plans[0].buckets.back());
}

TEST_F(GovernorTest, AnotherProgramThatTakesTheMachinesMemoryIsToldOnce) {
  governor_->BeginPhase(PlanPhase::kSelfPlay, "self_play", 0);
  const Bytes guard = governor_->plan().ram_guard;
  for (const Bytes free : {GiB(4), guard - Bytes(1), guard / 2, guard, guard * 2, guard / 2}) {
    fleet_.use.host_free = free;
    Ticks(1);
  }
  const std::vector<Json> events = Lines("event", "host_short");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].at("free_bytes"), (guard - Bytes(1)).count());
  EXPECT_EQ(fleet_.calls, (std::vector<std::string>{"ask_release", "ask_release"}));
}

TEST_F(GovernorTest, AnotherProgramOnTheGpuIsToldOnce) {
  ToGpu();
  governor_->BeginPhase(PlanPhase::kSelfPlay, "self_play", 0);
  const Bytes guard = governor_->plan().vram_guard;
  for (const Bytes free : {GiB(4), guard - Bytes(1), guard / 2, guard * 2, guard / 2}) {
    fleet_.use.gpu.free = free;
    Ticks(1);
  }
  EXPECT_EQ(Lines("event", "gpu_short").size(), 2u);
  EXPECT_TRUE(Lines("event", "host_short").empty());
  EXPECT_EQ(fleet_.calls, (std::vector<std::string>{"ask_release", "ask_release"}));
}

TEST_F(GovernorTest, FragmentationWithRisingRetriesIsToldOnce) {
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  for (std::int64_t retries = 1; retries <= 5; ++retries) {
    fleet_.use.layers = {.allocated_bytes = 50,
                         .reserved_bytes = 100,
                         .inactive_split_bytes = 40,
                         .alloc_retries = retries};
    Ticks(1);
  }
  ASSERT_EQ(Lines("event", "fragmentation").size(), 1u);
  EXPECT_DOUBLE_EQ(Lines("event", "fragmentation")[0].at("fragmentation_fraction"), 0.4);
}

}  // namespace
}  // namespace az
