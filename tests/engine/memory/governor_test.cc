// What the Governor samples, cleans up, tells and finds leaking.

#include "engine/memory/governor.h"

#include "engine/process/proc_memory.h"
#include "tests/engine/memory/governor_fixture.h"

namespace az {
namespace {

TEST_F(GovernorTest, APhaseLeavesItsPeaksLayersAndHistory) {
  governor_->BeginPhase(PlanPhase::kTrain, "train", 3);
  Ticks(5);
  fleet_.use.device = MiB(700);
  Ticks(1);
  fleet_.use.device = MiB(200);
  Ticks(5);
  fleet_.released.freed_bytes = MiB(50).count();
  fleet_.released.before = {.allocated_bytes = 100,
                            .reserved_bytes = 400,
                            .inactive_split_bytes = 100,
                            .peak_reserved_bytes = 500};
  ASSERT_TRUE(governor_->EndPhase());
  const std::vector<Json> lines = Lines("kind", "memory");
  ASSERT_EQ(lines.size(), 1u);
  const Json& line = lines[0];
  EXPECT_EQ(line.at("phase"), "train");
  EXPECT_EQ(line.at("iteration"), 3);
  EXPECT_EQ(line.at("peak_bytes"), MiB(730).count());
  EXPECT_EQ(line.at("peak_device_bytes"), MiB(700).count());
  EXPECT_EQ(line.at("peak_workers_bytes"), MiB(20).count());
  EXPECT_EQ(line.at("after_bytes"), MiB(230).count());
  EXPECT_EQ(line.at("freed_bytes"), MiB(50).count());
  EXPECT_EQ(line.at("budget_bytes"), GiB(2).count());
  EXPECT_EQ(line.at("samples"), 12);  // eleven ticks and the boundary
  EXPECT_EQ(line.at("allocator").at("peak_reserved_bytes"), 500);
  EXPECT_TRUE(line.at("allocator").at("requested_bytes").is_null());  // unknown is not 0
  EXPECT_DOUBLE_EQ(line.at("fragmentation_fraction"), 0.25);
  std::int64_t highest = 0;
  for (const Json& point : line.at("history")) {
    highest = std::max(highest, point.at(1).get<std::int64_t>());
  }
  EXPECT_EQ(highest, MiB(730).count());
  EXPECT_EQ(line.at("predicted_bytes"), governor_->plan().ram.at(1).total().count());
}

// Three looks of 2 ms each in 0.3 s are 2 % of a core, at least.
TEST_F(GovernorTest, CountsWhatItsOwnSamplingCosts) {
  Phase(PlanPhase::kSelfPlay);
  const double idle = Lines("kind", "memory").at(0).at("monitor_cpu_fraction");
  EXPECT_GT(idle, 0);
  fleet_.on_look = [] {
    const Duration until = ThreadCpuTime() + std::chrono::milliseconds(2);
    while (ThreadCpuTime() < until) continue;
  };
  Phase(PlanPhase::kSelfPlay);
  EXPECT_GE(Lines("kind", "memory").at(1).at("monitor_cpu_fraction"), 0.02);
  EXPECT_LT(idle, 0.02);
}

TEST_F(GovernorTest, WithoutMonitoringOnlyTheBoundaryIsSampled) {
  input_.wishes.memory.enable_monitoring = false;
  Make();
  Phase(PlanPhase::kSelfPlay);
  EXPECT_EQ(Lines("kind", "memory").at(0).at("samples"), 1);
}

TEST_F(GovernorTest, SamplesAtItsRate) {
  input_.wishes.memory.sample_hz = 2;
  Make();
  governor_->BeginPhase(PlanPhase::kSelfPlay, "self_play", 0);
  Ticks(100);
  ASSERT_TRUE(governor_->EndPhase());
  EXPECT_EQ(Lines("kind", "memory").at(0).at("samples"), 21);
}

TEST_F(GovernorTest, AboveTheThresholdItCleansUpThenSuggests) {
  int light = 0;
  int full = 0;
  governor_->OnCleanup("light", CleanupLevel::kLight, [&] { return Bytes(++light); });
  governor_->OnCleanup("full", CleanupLevel::kFull, [&] { return Bytes(++full); });
  governor_->BeginPhase(PlanPhase::kSelfPlay, "self_play", 0);
  fleet_.use.device = MiB(1800);
  fleet_.use.layers = {.allocated_bytes = MiB(1000).count(), .reserved_bytes = MiB(1700).count()};
  Ticks(5);
  EXPECT_EQ(light, 1);
  EXPECT_EQ(full, 0);
  EXPECT_EQ(fleet_.calls, std::vector<std::string>{"ask_release"});
  fleet_.use.layers.allocated_bytes = MiB(1690).count();  // nothing to give back any more
  Ticks(5);
  fleet_.use.device = MiB(300);
  Ticks(5);
  ASSERT_TRUE(governor_->EndPhase());
  EXPECT_EQ(light, 2);
  EXPECT_EQ(full, 1);
  const std::vector<Json> events = Lines("event", "threshold");
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].at("step"), "clean_up");
  EXPECT_EQ(events[1].at("step"), "suggest");
  const auto advice = events[1].at("advice").get<std::string>();
  EXPECT_NE(advice.find("what would help: "), std::string::npos) << advice;
  EXPECT_NE(advice.find(" saves "), std::string::npos) << advice;
  EXPECT_EQ(events[2].at("step"), "calm");
}

TEST_F(GovernorTest, ASlowCallbackIsCalledAtBoundariesAlone) {
  int calls = 0;
  governor_->OnCleanup("slow", CleanupLevel::kLight, [&] {
    ++calls;
    clock_.Advance(std::chrono::seconds(1));
    return Bytes();
  });
  Phase(PlanPhase::kSelfPlay);
  EXPECT_EQ(calls, 1);
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  fleet_.use.device = MiB(1800);
  fleet_.use.layers = {.allocated_bytes = 0, .reserved_bytes = MiB(1700).count()};
  Ticks(5);
  EXPECT_EQ(calls, 1);
  ASSERT_TRUE(governor_->EndPhase());
  EXPECT_EQ(calls, 2);
}

TEST_F(GovernorTest, CleansUpByForceEverySoManyBatches) {
  input_.wishes.memory.force_cleanup_every = 100;
  Make();
  governor_->BeginPhase(PlanPhase::kSelfPlay, "self_play", 0);
  for (fleet_.totals.batches = 0; fleet_.totals.batches < 350; fleet_.totals.batches += 10) {
    Ticks(1);
  }
  EXPECT_EQ(fleet_.calls.size(), 3u);
}

TEST_F(GovernorTest, ALeakInAWorkerIsFlaggedWithinSevenIterationsAndItIsStartedAgain) {
  int flagged = 0;
  for (int iteration = 1; flagged == 0; ++iteration) {
    ASSERT_LE(iteration, 7);
    fleet_.use.workers[0].bytes = MiB(20) + iteration * MiB(1);
    Iteration();
    if (!Lines("event", "leak").empty()) flagged = iteration;
  }
  EXPECT_EQ(flagged, 7);
  const Json leak = Lines("event", "leak").at(0);
  EXPECT_EQ(leak.at("series"), "worker_0_ram");
  EXPECT_EQ(leak.at("bytes_per_iteration"), MiB(1).count());
  EXPECT_GT(leak.at("iterations_left"), 1000);
  EXPECT_EQ(fleet_.calls.back(), "restart 0");
}

TEST_F(GovernorTest, TheDeviceIsStartedAgainForALeakOnce) {
  std::vector<std::string> restarts;
  for (int iteration = 1; iteration <= 20; ++iteration) {
    fleet_.use.device = MiB(300) + iteration * MiB(2);
    Iteration();
  }
  for (const std::string& call : fleet_.calls) {
    if (call.starts_with("restart")) restarts.push_back(call);
  }
  EXPECT_EQ(restarts, std::vector<std::string>{StrCat("restart ", kDeviceLane)});
  EXPECT_TRUE(state_.has_restarted_device);
  const std::vector<Json> leaks = Lines("event", "leak");
  ASSERT_EQ(leaks.size(), 2u);  // told again, though nothing is done about it
  EXPECT_EQ(leaks[1].at("remedy"), "none");
}

// The process's own memory and both figures of its allocator rise: one restart for all three.
TEST_F(GovernorTest, ADeviceLeakSeenInSeveralSeriesHasOneRemedy) {
  for (int iteration = 1; iteration <= 20; ++iteration) {
    fleet_.use.device = MiB(300) + iteration * MiB(2);
    fleet_.use.layers = {.allocated_bytes = (MiB(100) + iteration * MiB(2)).count(),
                         .reserved_bytes = (MiB(200) + iteration * MiB(2)).count()};
    Iteration(static_cast<std::uint32_t>(iteration));
    if (iteration == 7) {
      std::vector<std::string> series;
      for (const Json& leak : Lines("event", "leak")) {
        series.push_back(leak.at("series"));
        EXPECT_EQ(leak.at("remedy"), "its process is started again") << leak;
      }
      EXPECT_EQ(series,
                (std::vector<std::string>{"device_ram", "device_allocated", "device_reserved"}));
      EXPECT_EQ(fleet_.calls.back(), StrCat("restart ", kDeviceLane));
    }
  }
  EXPECT_EQ(std::ranges::count(fleet_.calls, StrCat("restart ", kDeviceLane)), 1);
  const std::vector<Json> leaks = Lines("event", "leak");
  ASSERT_EQ(leaks.size(), 6u);
  for (std::size_t i = 3; i < leaks.size(); ++i) EXPECT_EQ(leaks[i].at("remedy"), "none");
}

TEST_F(GovernorTest, TheReplayWindowsGrowthIsNoLeak) {
  for (int iteration = 1; iteration <= 20; ++iteration) {
    fleet_.use.device = MiB(300) + iteration * MiB(2);
    Phase(PlanPhase::kTrain);
    ASSERT_TRUE(governor_->EndIteration(iteration * MiB(2)));
  }
  EXPECT_TRUE(Lines("event", "leak").empty());
}

}  // namespace
}  // namespace az
