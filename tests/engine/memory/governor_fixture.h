#pragma once
// The Governor over a fleet that uses as much memory as the test says.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/strings.h"
#include "engine/memory/governor.h"
#include "engine/memory/rungs.h"
#include "engine/process/supervisor.h"
#include "scheduler/bill.h"
#include "scheduler/planner.h"

namespace az {

using Json = nlohmann::json;

class MemoryFleet final : public Fleet {
 public:
  MemoryUse use;
  ReleasedMessage released;
  std::vector<OomMessage> ooms;
  std::vector<std::string> calls;
  std::vector<Plan> plans;
  std::function<void()> on_apply;  // what happens while the device takes a plan
  std::function<Result<void>()> on_load;
  std::function<void()> on_look;
  FleetTotals totals;
  Result<void> applied;         // the next Apply's answer
  Result<void> placed;          // and Place's
  Result<void> released_first;  // and Release's
  bool lacks_weights = false;
  NoRoomFor lacked_room = NoRoomFor::kWeights;
  int kernel_kills = 0;  // since the last call

  Result<void> Play(const GamePhaseSpec&) override { return {}; }
  Result<void> Load(int slot, const std::filesystem::path&, std::uint64_t version) override {
    calls.push_back(StrCat("load ", slot, " v", version));
    return on_load ? on_load() : Result<void>();
  }
  void Unload(int) override {}
  Result<TrainedMessage> Train(const TrainMessage&,
                               const std::function<void(const TrainProgressMessage&)>&) override {
    return TrainedMessage{};
  }
  bool LacksWeights() const override { return lacks_weights; }
  NoRoomFor LackedRoom() const override { return lacked_room; }
  Result<ReleasedMessage> Release(CleanupLevel) override {
    calls.emplace_back("release");
    if (Result<void> refused = std::exchange(released_first, {}); !refused) return refused.error();
    return released;
  }
  void AskRelease(CleanupLevel) override { calls.emplace_back("ask_release"); }
  MemoryUse Memory() override {
    if (on_look) on_look();
    return use;
  }
  Bytes ProportionalMemory() override { return use.Ram(); }
  std::vector<OomMessage> TakeOoms() override { return std::exchange(ooms, {}); }
  int TakeKernelKills() override { return std::exchange(kernel_kills, 0); }
  Result<void> Apply(const Plan& plan) override {
    plans.push_back(plan);
    if (on_apply) on_apply();
    return std::exchange(applied, {});
  }
  Result<void> Place(PlanPhase phase) override {
    calls.push_back(StrCat("place ", EnumName(phase)));
    return std::exchange(placed, {});
  }
  Result<void> Restart(int lane) override {
    calls.push_back(StrCat("restart ", lane));
    return {};
  }
  std::vector<LaneBytes> JournalBytes() const override { return {}; }
  Result<std::vector<LaneBytes>> SyncedJournalBytes() override { return JournalBytes(); }
  FleetTotals Totals() const override { return totals; }
  std::string DeviceText() const override { return "fake"; }
};

inline PlanInput Input() {
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

  // As a start of the run, with what it has learned.
  void Make() {
    governor_.emplace(Governor::Setup{.input = input_,
                                      .plan = MakePlan(WithLearned(input_, state_)).value(),
                                      .fleet = fleet_,
                                      .metrics = *metrics_,
                                      .display = display_,
                                      .clock = clock_,
                                      .log = log_,
                                      .state = state_,
                                      .plan_file = folder_ + "/plan.json",
                                      .with_device = with_device_});
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
  bool with_device_ = true;
  MemoryFleet fleet_;
  std::optional<MetricsFile> metrics_;
  ManualClock clock_;
  Log log_{-1, "test"};
  Display display_{-1, DisplayStyle::kQuiet, false, clock_};
  MemoryState state_;
  std::optional<Governor> governor_;
};

}  // namespace az
