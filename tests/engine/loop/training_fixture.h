#pragma once
// A run's phases against a fake fleet, for the tests of TrainingLoop.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/strings.h"
#include "engine/loop/training_loop.h"
#include "engine/memory/governor.h"
#include "engine/run/summary.h"
#include "games/registry.h"
#include "tests/engine/fleet/fake_fleet.h"

namespace az {

// Its plan has sizes to give up.
inline PlanInput InputOfTwoCores() {
  PlanInput input;
  input.device = {.name = "cpu", .cores = 2, .ram = GiB(8)};
  input.net = {.planes = 2, .rows = 3, .cols = 3, .actions = 9, .filters = 64, .res_blocks = 4};
  input.game = {.words = 1, .branching = 9, .max_plies = 9};
  input.wishes.memory.ram_budget = MemorySize{GiB(2), 0};
  return input;
}

class TrainingLoopTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + StrCat("loop_", ::getpid());
    std::filesystem::remove_all(folder_);
    config_.game.name = "tic_tac_toe";
    config_.run.dir = folder_ + "/run";
    config_.loop.iterations = 2;
    config_.self_play.games_per_iteration = 6;
    config_.arena.games = 10;
    config_.arena.final_games = 4;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // One start of the program.
  Result<void> Start(FakeFleet& fleet) {
    Result<RunDir> dir = RunDir::Open(config_, RunDir::Mode::kResume);
    if (!dir) return std::move(dir).error();
    Result<MetricsFile> metrics = MetricsFile::Open(dir->metrics());
    if (!metrics) return std::move(metrics).error();
    Result<MatchHistory> history = MatchHistory::Open(dir->path() / "matches.jsonl");
    if (!history) return std::move(history).error();
    Result<Panel> panel = ReadPanel(config_);
    if (!panel) return std::move(panel).error();
    const Log log(-1, "test");
    Display display(display_fd_, display_fd_ < 0 ? DisplayStyle::kQuiet : DisplayStyle::kLines,
                    false, *time_);
    Governor governor({.input = input_,
                       .plan = plan_,
                       .fleet = fleet,
                       .metrics = *metrics,
                       .display = display,
                       .clock = *time_,
                       .log = log,
                       .state = dir->state().memory,
                       .plan_file = {}});
    TrainingLoop loop({.config = config_,
                       .governor = governor,
                       .game = *FindGame("tic_tac_toe").value(),
                       .panel = *panel,
                       .dir = *dir,
                       .fleet = fleet,
                       .metrics = *metrics,
                       .history = *history,
                       .display = display,
                       .clock = *time_,
                       .log = log});
    fleet.tick = [&] {
      governor.Tick();
      loop.Tick();
    };
    const Result<void> run = loop.Run();
    fleet.tick = {};
    state_ = dir->state();
    matches_ = history->matches();
    ratings_ = history->Ratings("iter_000000");
    summary_ = SummaryText(*dir, *history);
    return run;
  }

  // What a start after a kill would read.
  RunState OnDisk() const {
    return RunStateFromJson(ReadFile(folder_ + "/run/state.json").value()).value();
  }
  // Of metrics.jsonl, those of iterations.
  std::vector<nlohmann::json> IterationLines() const {
    std::vector<nlohmann::json> lines;
    std::ifstream file(folder_ + "/run/metrics.jsonl");
    for (std::string text; std::getline(file, text);) {
      lines.push_back(nlohmann::json::parse(text));
      if (lines.back().at("kind") != "iteration") lines.pop_back();
    }
    return lines;
  }

  std::string folder_;
  RunConfig config_;
  PlanInput input_;
  Plan plan_;
  SteadyClock clock_;
  const Clock* time_ = &clock_;  // another one where a test tells the time
  RunState state_;
  std::vector<HistoricMatch> matches_;
  std::vector<RatedName> ratings_;
  std::string summary_;
  int display_fd_ = -1;  // of a file that takes what the person sees; -1: nobody looks
};

}  // namespace az
