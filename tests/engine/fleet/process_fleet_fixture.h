#pragma once
// A ProcessFleet of the programs in AZ_PROGRAMS, small: one worker, tic-tac-toe.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/files.h"
#include "base/strings.h"
#include "engine/fleet/process_fleet.h"
#include "engine/run/run_dir.h"
#include "games/registry.h"

namespace az {

class ProcessFleetTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + StrCat("fleet_", ::getpid());
    std::filesystem::remove_all(folder_);
    config_.game.name = "tic_tac_toe";
    config_.net = {.num_filters = 64, .num_res_blocks = 2, .num_heads = 0};
    config_.engine.device = "cpu";
    config_.search.visits = 8;
    config_.run.dir = folder_ + "/run";
    plan_.num_workers = plan_.arena_workers = plan_.lanes = 1;
    plan_.slots = 8;
    plan_.blocks = 2;
    plan_.rows = 8;
    plan_.buckets = {8, 32};
    plan_.cache = MiB(1);
  }
  void TearDown() override {
    fleet_.reset();
    if (HasFailure() && dir_) std::fputs(ReadFile(dir_->log()).value().c_str(), stderr);
    std::filesystem::remove_all(folder_);
  }

  void Start() {
    dir_.emplace(RunDir::Open(config_, RunDir::Mode::kResume).value());
    log_fd_.Reset(::open(dir_->log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    log_.emplace(log_fd_.get(), "test");
    Result<std::unique_ptr<ProcessFleet>> fleet =
        ProcessFleet::Start({.config = config_,
                             .plan = plan_,
                             .game = *FindGame("tic_tac_toe").value(),
                             .clock = clock_,
                             .log = *log_,
                             .run_dir = dir_->path(),
                             .run_id = dir_->state().run_id,
                             .programs = AZ_PROGRAMS,
                             .log_fd = log_fd_.get(),
                             .on_tick = on_tick_,
                             .own_lanes = own_lanes_});
    ASSERT_TRUE(fleet) << fleet.error().message;
    fleet_ = *std::move(fleet);
  }
  // A fresh network.
  std::filesystem::path MakeNetwork() {
    TrainMessage first;
    first.to = dir_->checkpoint(CheckpointName(0)).string();
    EXPECT_TRUE(MakeDirectories(dir_->checkpoints()));
    EXPECT_TRUE(fleet_->Train(first, [](const TrainProgressMessage&) {}));
    return first.to;
  }
  // The device serves a network that its plan has no room for any more.
  void StartWithoutRoom() {
    Start();
    const std::filesystem::path network = MakeNetwork();
    ASSERT_TRUE(fleet_->Load(0, network, 1));
    Plan narrow = plan_;
    narrow.allocator_cap = KiB(64);
    ASSERT_FALSE(fleet_->Apply(narrow));
  }
  // Games of a gate between both slots, or of self-play. Returns how many were finished.
  Result<int> Play(GameKind kind, std::uint32_t iteration) {
    int finished = 0;
    GamePhaseSpec spec;
    spec.kind = kind;
    spec.iteration = iteration;
    spec.games = 4;
    spec.players = {{.visits = 8}};
    if (kind == GameKind::kGate) spec.players.push_back({.model = 1, .visits = 8});
    spec.on_finished = [&](const FinishedGame& game) {
      finished += game.outcome.has_value() ? 1 : 0;
      return true;
    };
    AZ_RETURN_IF_ERROR(fleet_->Play(spec));
    return finished;
  }

  std::string folder_;
  bool own_lanes_ = false;
  std::function<void()> on_tick_;
  RunConfig config_;
  Plan plan_;
  SteadyClock clock_;
  std::optional<RunDir> dir_;
  UniqueFd log_fd_;
  std::optional<Log> log_;
  std::unique_ptr<ProcessFleet> fleet_;
};

}  // namespace az
