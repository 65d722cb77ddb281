// The Governor over a fleet that uses as much memory as the test says: what it samples, does, tells
// and remembers.

#include "engine/loop/governor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/strings.h"
#include "engine/process/supervisor.h"
#include "scheduler/bill.h"
#include "scheduler/planner.h"

namespace az {
namespace {

using Json = nlohmann::json;

class MemoryFleet final : public Fleet {
 public:
  MemoryUse use;
  ReleasedMessage released;
  std::vector<OomMessage> ooms;
  std::vector<std::string> calls;
  std::vector<Plan> plans;
  std::function<void()> on_apply;  // what happens while the device takes a plan
  FleetTotals totals;

  Result<void> Play(const GamePhaseSpec&) override { return {}; }
  Result<void> Load(int, const std::filesystem::path&, std::uint64_t) override { return {}; }
  void Unload(int) override {}
  Result<TrainedMessage> Train(const TrainMessage&,
                               const std::function<void(const TrainProgressMessage&)>&) override {
    return TrainedMessage{};
  }
  Result<ReleasedMessage> Release(CleanupLevel) override {
    calls.emplace_back("release");
    return released;
  }
  void AskRelease(CleanupLevel) override { calls.emplace_back("ask_release"); }
  MemoryUse Memory() override { return use; }
  Bytes ProportionalMemory() override { return use.Ram(); }
  std::vector<OomMessage> TakeOoms() override { return std::exchange(ooms, {}); }
  Result<void> Apply(const Plan& plan) override {
    plans.push_back(plan);
    if (on_apply) on_apply();
    return {};
  }
  Result<void> Restart(int lane) override {
    calls.push_back(StrCat("restart ", lane));
    return {};
  }
  std::vector<LaneBytes> JournalBytes() const override { return {}; }
  FleetTotals Totals() const override { return totals; }
  std::string DeviceText() const override { return "fake"; }
};

PlanInput Input() {
  PlanInput input;
  input.device = {.name = "cpu", .cores = 2, .ram = GiB(8)};
  input.net = {.planes = 2,
               .rows = 5,
               .cols = 5,
               .actions = 25,
               .filters = 64,
               .res_blocks = 4,
               .policy_filters = 32,
               .value_filters = 32,
               .value_hidden = 256};
  input.game = {.words = 1, .branching = 25, .max_plies = 25};
  input.wishes.memory.ram_budget = MemorySize{GiB(2), 0};
  input.wishes.memory.sample_hz = 10;
  input.wishes.memory.climb_after = 2;
  return input;
}

class GovernorTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + StrCat("governor_", ::getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    fleet_.use = {.supervisor = MiB(10), .device = MiB(300), .workers = {{0, MiB(20)}}};
    metrics_.emplace(MetricsFile::Open(folder_ + "/metrics.jsonl").value());
    Make();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Make() {
    governor_.emplace(Governor::Setup{.input = input_,
                                      .plan = MakePlan(input_).value(),
                                      .fleet = fleet_,
                                      .metrics = *metrics_,
                                      .display = display_,
                                      .clock = clock_,
                                      .log = log_,
                                      .state = state_,
                                      .plan_file = folder_ + "/plan.json"});
  }
  void ToGpu() {
    input_.wishes.cache = MiB(64);
    input_.device.kind = DeviceKind::kCuda;
    input_.device.vram = input_.device.vram_total = GiB(8);
    Make();
    ASSERT_EQ(governor_->plan().device, DeviceKind::kCuda);
  }
  // So many ticks, a tenth of a second apart.
  void Ticks(int count) {
    for (int i = 0; i < count; ++i) {
      clock_.Advance(std::chrono::milliseconds(100));
      governor_->Tick();
    }
  }
  void Phase(PlanPhase phase, std::uint32_t iteration = 0) {
    governor_->BeginPhase(phase, EnumName(phase), iteration);
    Ticks(3);
    ASSERT_TRUE(governor_->EndPhase());
  }
  void Iteration(std::uint32_t iteration = 0) {
    Phase(PlanPhase::kTrain, iteration);
    ASSERT_TRUE(governor_->EndIteration(Bytes()));
  }
  // Lines of the metrics file whose member `key` is `value`.
  std::vector<Json> Lines(const std::string& key, const std::string& value) {
    std::vector<Json> lines;
    const std::string text = ReadFile(folder_ + "/metrics.jsonl").value();
    for (const std::string_view line : Split(text, '\n')) {
      if (line.empty()) continue;
      Json json = Json::parse(line);
      if (json.value(key, "") == value) lines.push_back(std::move(json));
    }
    return lines;
  }

  std::string folder_;
  PlanInput input_ = Input();
  MemoryFleet fleet_;
  std::optional<MetricsFile> metrics_;
  ManualClock clock_;
  Log log_{-1, "test"};
  Display display_{-1, DisplayStyle::kQuiet, false, clock_};
  MemoryState state_;
  std::optional<Governor> governor_;
};

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

TEST_F(GovernorTest, TheReplayWindowsGrowthIsNoLeak) {
  for (int iteration = 1; iteration <= 20; ++iteration) {
    fleet_.use.device = MiB(300) + iteration * MiB(2);
    Phase(PlanPhase::kTrain);
    ASSERT_TRUE(governor_->EndIteration(iteration * MiB(2)));
  }
  EXPECT_TRUE(Lines("event", "leak").empty());
}

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
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  fleet_.ooms = {TrainOom(planned / 2)};
  Ticks(1);
  EXPECT_TRUE(fleet_.plans.empty());  // not within the phase
  ASSERT_TRUE(governor_->EndPhase());
  EXPECT_EQ(state_.train.rungs, 1);
  ASSERT_EQ(state_.failed.size(), 1u);
  EXPECT_EQ(state_.failed[0].rows, planned);
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
