// Rungs of the host: RAM that workers give, for themselves or for the networks beside them.

#include "scheduler/ladder.h"
#include "tests/engine/memory/governor_fixture.h"

namespace az {
namespace {

// What the workers keep is RAM, too.
TEST_F(GovernorTest, WhereAPhaseHasNothingLeftTheHostHas) {
  input_.wishes.cache = MiB(64);
  Make();
  fleet_.use.device = MiB(2010);
  int phases = 0;
  while (state_.host.rungs == 0 && phases < 20) {
    Phase(PlanPhase::kSelfPlay);
    ++phases;
    EXPECT_TRUE(state_.host.rungs > 0 || governor_->plan().cache == MiB(64));
  }
  EXPECT_EQ(governor_->plan().buckets.back(), 8) << "batches first";
  EXPECT_EQ(governor_->plan().cache, MiB(32));
  const int rungs_of_inference = state_.inference.rungs;
  EXPECT_TRUE(Lines("event", "no_smaller_plan").empty());
  for (int more = 0; more < 20; ++more) Phase(PlanPhase::kSelfPlay);
  EXPECT_EQ(governor_->plan().cache, MiB(1));
  EXPECT_EQ(state_.inference.rungs, rungs_of_inference);
  // Neither is climbed while RAM is short.
  for (int iteration = 0; iteration < 8; ++iteration) {
    Phase(PlanPhase::kSelfPlay);
    ASSERT_TRUE(governor_->EndIteration(Bytes()));
  }
  EXPECT_EQ(governor_->plan().cache, MiB(1));
  EXPECT_EQ(state_.inference.rungs, rungs_of_inference);
  fleet_.use.device = MiB(300);
  for (int iteration = 0; iteration < 60; ++iteration) {
    Phase(PlanPhase::kSelfPlay);
    ASSERT_TRUE(governor_->EndIteration(Bytes()));
  }
  EXPECT_EQ(state_.rungs(), (RungsTaken{.train = 0, .inference = 0, .host = 0}));
  EXPECT_EQ(governor_->plan().cache, MiB(64));
}

TEST_F(GovernorTest, BesideAGpuShortRamIsARungOfTheHost) {
  ToGpu();
  const Bytes cache = governor_->plan().cache;
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  fleet_.use.device = MiB(2010);
  Ticks(3);
  ASSERT_TRUE(governor_->EndPhase());
  EXPECT_EQ(state_.rungs(), (RungsTaken{.train = 0, .inference = 0, .host = 1}));
  ASSERT_EQ(fleet_.plans.size(), 1u);
  EXPECT_LT(fleet_.plans[0].cache, cache);
  fleet_.use.device = MiB(300);
  for (int iteration = 0; iteration < 3; ++iteration) Iteration();
  EXPECT_EQ(state_.host.rungs, 0);
  EXPECT_EQ(governor_->plan().cache, cache);
}

// They say nothing, but somebody took more RAM than there is.
TEST_F(GovernorTest, ProcessesThatTheKernelKilledAreARungAtTheBoundary) {
  input_.wishes.memory.climb_after = 1;
  Make();
  const int largest = governor_->plan().buckets.back();
  governor_->BeginPhase(PlanPhase::kSelfPlay, "self_play", 0);
  for (int i = 0; i < 3; ++i) {
    fleet_.kernel_kills = 2;
    Ticks(1);
  }
  EXPECT_TRUE(fleet_.plans.empty()) << "not within the phase";
  EXPECT_EQ(std::ranges::count(fleet_.calls, std::string("ask_release")), 3);
  ASSERT_TRUE(governor_->EndPhase());
  EXPECT_EQ(state_.rungs(), (RungsTaken{.inference = 1})) << "one, however many died";
  EXPECT_EQ(governor_->plan().buckets.back(), largest / 2);
  ASSERT_EQ(Lines("event", "killed_by_kernel").size(), 3u);
  EXPECT_EQ(Lines("event", "killed_by_kernel")[0].at("processes"), 2);
  ASSERT_TRUE(governor_->EndIteration(Bytes()));
  EXPECT_EQ(state_.inference.rungs, 1) << "it was not clean";
  Iteration();
  EXPECT_EQ(state_.inference.rungs, 0);
}

TEST_F(GovernorTest, BesideAGpuProcessesThatTheKernelKilledAreARungOfTheHost) {
  ToGpu();
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  fleet_.kernel_kills = 1;
  ASSERT_TRUE(governor_->EndPhase());
  EXPECT_EQ(state_.rungs(), (RungsTaken{.host = 1}));
  fleet_.kernel_kills = 1;  // between phases there is none to take it at
  ASSERT_TRUE(governor_->Prepare(PlanPhase::kSelfPlay));
  EXPECT_EQ(Lines("event", "killed_by_kernel").size(), 2u);
  Phase(PlanPhase::kSelfPlay);
  EXPECT_EQ(state_.rungs(), (RungsTaken{.host = 1}));
}

// More of them would change nothing until then.
TEST_F(GovernorTest, OfRungsThatWaitForTheNextStartOneIsTaken) {
  ToGpu();
  const Plan before = governor_->plan();
  fleet_.use.device = MiB(2010);
  for (int phases = 0; phases < 20; ++phases) Phase(PlanPhase::kSelfPlay);
  EXPECT_EQ(governor_->plan().cache, MiB(1));
  EXPECT_EQ(governor_->plan().num_workers, before.num_workers);
  const std::vector<Json> plans = Lines("event", "planned_again");
  EXPECT_EQ(plans.size(), 7u) << "64 MiB are halved six times";
  EXPECT_EQ(state_.host.rungs, 7);
  const auto last = plans.back().at("text").get<std::string>();
  EXPECT_NE(last.find(StrCat("with the next start ", before.lanes, " workers of ")),
            std::string::npos)
      << last;
}

// What comes back at the next start alone is tried there before more is climbed.
TEST_F(GovernorTest, OfRungsThatComeBackWithTheNextStartOneIsClimbed) {
  ToGpu();
  const Plan all = governor_->plan();
  state_.host.rungs = 9;
  for (int start = 1; start <= 2; ++start) {
    Make();
    const Plan running = governor_->plan();
    ASSERT_TRUE(running.slots < all.slots || running.lanes < all.lanes);
    for (int iteration = 0; iteration < 40; ++iteration) Iteration();
    EXPECT_EQ(state_.host.rungs, 9 - start);
    EXPECT_EQ(state_.host.clean, 0) << "what ran was the rung below";
    EXPECT_EQ(governor_->plan().slots, running.slots);
  }
}

// Slots and workers are given up at the next start: what runs until then is in the bill.
TEST_F(GovernorTest, LanesThatStayAreBilledAsTheyRun) {
  ToGpu();
  const Plan before = governor_->plan();
  for (int rung = 0; rung < 9; ++rung) {
    governor_->BeginPhase(PlanPhase::kSelfPlay, "self_play", 0);
    fleet_.use.device = MiB(2010);
    Ticks(3);
    ASSERT_TRUE(governor_->EndPhase());
    fleet_.use.device = MiB(300);
    governor_->BeginPhase(PlanPhase::kSelfPlay, "self_play", 0);
    Ticks(3);  // calm: it may ask again
    ASSERT_TRUE(governor_->EndPhase());
  }
  const Plan& plan = governor_->plan();
  EXPECT_GT(plan.host_rungs, 6) << "below the least evaluation cache";
  EXPECT_EQ(plan.slots, before.slots);
  EXPECT_EQ(plan.lanes, before.lanes);
  const PhaseBill& bill = plan.ram.front();
  const auto workers = std::ranges::find(bill.terms, "workers", &BillTerm::name);
  ASSERT_NE(workers, bill.terms.end());
  EXPECT_EQ(workers->bytes, plan.worker_bytes * plan.lanes);
  EXPECT_EQ(plan.worker_bytes, before.worker_bytes - before.cache + plan.cache);
}

// Numbers that the config says are given up too, workers before slots. Fewer that play would free
// nothing while the processes are there.
TEST_F(GovernorTest, FewerWorkersWaitForTheNextStart) {
  input_.device.cores = 16;
  input_.wishes.slots = 64;
  input_.wishes.cache = MiB(4);
  Make();
  const Plan before = governor_->plan();
  ASSERT_GT(before.num_workers, 4);
  fleet_.use.device = MiB(2010);
  for (int phases = 0; phases < 40; ++phases) Phase(PlanPhase::kTrain);
  EXPECT_EQ(governor_->plan().cache, MiB(1));
  EXPECT_EQ(governor_->plan().num_workers, before.num_workers);
  EXPECT_EQ(governor_->plan().arena_workers, before.arena_workers);
  EXPECT_EQ(state_.host.rungs, 3) << "4 MiB are halved twice, and one rung waits";
  const std::vector<Json> ends = Lines("event", "no_smaller_plan");
  ASSERT_EQ(ends.size(), 1u);
  const auto text = ends[0].at("text").get<std::string>();
  EXPECT_NE(text.find("no plan is smaller until the next start"), std::string::npos) << text;
}

TEST_F(GovernorTest, AClimbOfOneLadderOpensNoOther) {
  input_.wishes.memory.climb_after = 1;
  Make();
  fleet_.ooms = {{.where = "train", .rung = "halved", .micro_batch = 64}};
  Phase(PlanPhase::kTrain);
  ASSERT_EQ(state_.train.rungs, 1);
  fleet_.use.device = MiB(2010);
  for (int phases = 0; phases < 20; ++phases) Phase(PlanPhase::kSelfPlay);
  const int of_host = state_.host.rungs;
  EXPECT_EQ(of_host, 1) << "there are no caches: fewer slots wait for the next start";
  ASSERT_EQ(Lines("event", "no_smaller_plan").size(), 1u);
  ASSERT_TRUE(governor_->EndIteration(Bytes()));
  for (int iteration = 0; iteration < 6; ++iteration) {
    Phase(PlanPhase::kSelfPlay);
    ASSERT_TRUE(governor_->EndIteration(Bytes()));
  }
  EXPECT_EQ(state_.train.rungs, 0);
  EXPECT_EQ(state_.host.rungs, of_host);
  EXPECT_EQ(Lines("event", "no_smaller_plan").size(), 1u);
}

// A cap that is too low for what training wants is raised by what the workers give.
TEST_F(GovernorTest, AnAllocatorThatGoesOnRetryingGetsRamOfTheWorkers) {
  input_.wishes.cache = MiB(8);
  Make();
  fleet_.released.before.alloc_retries = 0;
  for (int trainings = 0; trainings < 30; ++trainings) {
    ++fleet_.released.before.alloc_retries;
    Phase(PlanPhase::kTrain);
  }
  EXPECT_EQ(governor_->plan().micro_batch, 8);
  EXPECT_EQ(governor_->plan().cache, MiB(1));
  EXPECT_EQ(Lines("event", "no_smaller_plan").size(), 1u);
}

// Players that ask no network: there are no batches to make smaller.
TEST_F(GovernorTest, WithoutADeviceOnlyTheWorkersGive) {
  input_.wishes.cache = MiB(64);
  with_device_ = false;
  Make();
  const Plan before = governor_->plan();
  fleet_.use.workers = {{0, MiB(2010)}};
  Phase(PlanPhase::kArena);
  EXPECT_EQ(state_.rungs(), (RungsTaken{.train = 0, .inference = 0, .host = 1}));
  EXPECT_EQ(governor_->plan().cache, MiB(32));
  EXPECT_EQ(governor_->plan().buckets, before.buckets);
}

TEST_F(GovernorTest, WithoutADeviceTheGpusMemoryIsOfOthers) {
  with_device_ = false;
  ToGpu();
  const Bytes budget = governor_->plan().vram_budget;
  fleet_.use.gpu.used = fleet_.use.gpu_share.bytes = budget;
  fleet_.use.gpu.free = MiB(1);
  Phase(PlanPhase::kArena);
  EXPECT_EQ(state_.rungs(), (RungsTaken{.train = 0, .inference = 0, .host = 0}));
  EXPECT_TRUE(fleet_.plans.empty());
  EXPECT_TRUE(Lines("event", "gpu_short").empty());
}

}  // namespace
}  // namespace az
