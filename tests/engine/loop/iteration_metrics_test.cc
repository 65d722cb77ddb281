// What the fleet did and how its games ended, as the keys of an iteration's line: two iterations of
// which every number differs, with gates between that some of the numbers hold and some do not.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/loop/prescribed_totals.h"
#include "tests/engine/loop/training_fixture.h"

namespace az {
namespace {

// ---- how the games end ----

struct Ends {
  std::uint32_t games = 0;
  std::optional<Outcome> outcome;
  int plies = 0;
  int policy_samples = 0;
};
using GamesOfPhase = std::vector<Ends>;

const std::array<GamesOfPhase, 2> kGames = {GamesOfPhase{{5, Outcome::kFirstWins, 7, 4},
                                                         {2, Outcome::kDraw, 9, 8},
                                                         {2, Outcome::kSecondWins, 6, 5},
                                                         {1, std::nullopt, 4, 1}},
                                            GamesOfPhase{{2, Outcome::kFirstWins, 5, 3},
                                                         {4, Outcome::kDraw, 9, 6},
                                                         {4, Outcome::kSecondWins, 8, 7}}};

void EndAsPrescribed(FinishedGame& game) {
  std::uint32_t before = 0;
  for (const Ends& ends : kGames.at(game.id.iteration())) {
    before += ends.games;
    if (game.id.index() >= before) continue;
    game.outcome = ends.outcome;
    game.plies = ends.plies;
    game.policy_samples = ends.policy_samples;
    return;
  }
  ADD_FAILURE() << "nobody says how game " << game.id.index() << " ends";
}

// ---- what the two lines say of it ----

// Quotients are of self-play alone, over its searched moves or its policy targets, and so is what
// it gave up; what the server did and restarts are of the whole iteration.
const std::map<std::string, std::pair<double, double>> kExpected = {
    {"self_play_s", {4, 5}},
    {"games", {10, 10}},
    {"plies", {69, 78}},
    {"policy_samples", {47, 58}},
    {"games_per_s", {2, 3}},
    {"mean_plies", {6.9, 7.8}},
    {"first_player_win_fraction", {0.5, 0.2}},
    {"draw_fraction", {0.2, 0.4}},
    {"rows_per_move", {9, 7.5}},
    {"cache_hit_fraction", {0.15, 0.35}},
    {"simulations_per_move", {40, 45}},
    {"proven_root_fraction", {0.3, 0.1}},
    {"tree_reuse_fraction", {0.35, 0.6}},
    {"prior_entropy_nats", {2, 1.8}},
    {"target_entropy_nats", {1.5, 1.1}},
    {"search_kl_nats", {0.45, 0.55}},
    {"resign_error_fraction", {0.25, 5.0 / 300}},
    {"evaluations", {800, 830}},
    {"simulations", {5000, 4100}},
    {"mean_batch_rows", {16, 41.5}},
    {"runner_busy_s", {3.25, 2}},
    {"pad_fraction", {0.2, 0.17}},
    {"full_batch_fraction", {0.24, 0.6}},
    {"starving_batch_fraction", {0.12, 0.15}},
    {"full_block_fraction", {0.45, 0.6}},
    {"queue_wait_mean_ms", {7.5, 12.5}},
    {"round_trip_mean_ms", {17.5, 25}},
    {"worker_asleep_s", {10, 4.5}},
    {"requeued_blocks", {7, 9}},
    {"failed_blocks", {13, 14}},
    {"lost_hints", {5, 5}},
    {"protocol_violations", {3, 13}},
    {"memory_bytes", {111, 222}},
    {"memory_budget_bytes", {2147483648, 2147483648}},
    {"worker_restarts", {2, 6}},
    {"device_restarts", {1, 3}},
    {"proven_roots", {30, 8}},
    {"proven_errors", {8, 3}},
    {"failed_games", {3, 2}},
    {"bad_rows", {11, 17}},
    {"resign_audited", {80, 300}},
    {"resign_errors", {20, 5}},
    {"resign_threshold", {0.625, 0.625}},  // a quarter of the way from 0.5 to 1
    {"resign_on", {0, 1}},
    {"weights_version", {3, 5}},
    {"promotions", {1, 2}},
};

// Of the other phases and the line itself.
const std::set<std::string> kTestedElsewhere = {
    "kind",     "iteration",  "elapsed_s",   "train_s",         "loss",
    "arena_s",  "arena_wins", "arena_draws", "arena_losses",    "arena_score_fraction",
    "promoted", "publish_s",  "best_elo",    "best_elo_margin", "upsets"};

class IterationMetricsTest : public TrainingLoopTest {
 protected:
  IterationMetricsTest() {
    manual_.Advance(std::chrono::hours(1));
    time_ = &manual_;
    plan_.ram_budget = GiB(2);
  }
  void Prescribe(FakeFleet& fleet) {
    fleet.on_game = EndAsPrescribed;
    fleet.on_play = [this, &fleet](const GamePhaseSpec& spec) {
      const bool is_first = spec.iteration == 0;
      if (spec.kind == GameKind::kSelfPlay) {
        fleet.totals += is_first ? kFirstSelfPlay : kSecondSelfPlay;
        manual_.Advance(std::chrono::seconds(is_first ? 4 : 5));
      } else if (spec.kind == GameKind::kGate) {
        fleet.totals += is_first ? kFirstGate : kSecondGate;
        manual_.Advance(std::chrono::seconds(16));
        fleet.totals.memory = Bytes(is_first ? 111 : 222);
      }
    };
  }
  ManualClock manual_;
};

TEST_F(IterationMetricsTest, EveryNumberOfItsFleetStandsUnderItsKey) {
  config_.self_play.games_per_iteration = 10;
  config_.search.resign.threshold = 0.5f;
  FakeFleet fleet;
  Prescribe(fleet);
  fleet.totals += kSecondGate;  // before the first iteration
  const Result<void> run = Start(fleet);
  ASSERT_TRUE(run) << run.error().message;
  const std::vector<nlohmann::json> lines = IterationLines();
  ASSERT_EQ(lines.size(), 2u);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const auto& [key, values] : kExpected) {
      if (!lines[i].contains(key)) {
        ADD_FAILURE() << key << " is missing in line " << i;
        continue;
      }
      EXPECT_NEAR(lines[i].at(key).get<double>(), i == 0 ? values.first : values.second, 1e-12)
          << key << " of line " << i;
    }
    for (const auto& [key, value] : lines[i].items()) {
      EXPECT_TRUE(kExpected.contains(key) || kTestedElsewhere.contains(key))
          << key << " = " << value << " is tested by nobody";
    }
  }
}

TEST_F(IterationMetricsTest, NoTwoKeysCouldBeSwappedUnseen) {
  std::map<std::pair<double, double>, std::string> keys;
  for (const auto& [key, values] : kExpected) {
    const auto [other, is_new] = keys.emplace(values, key);
    EXPECT_TRUE(is_new) << key << " and " << other->second;
  }
}

// Zero would say that it was measured.
TEST_F(IterationMetricsTest, WhatNobodyDidHasNoMean) {
  config_.loop.iterations = 1;
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  const std::vector<nlohmann::json> lines = IterationLines();
  ASSERT_EQ(lines.size(), 1u);
  for (const char* key :
       {"rows_per_move", "cache_hit_fraction", "simulations_per_move", "proven_root_fraction",
        "tree_reuse_fraction", "prior_entropy_nats", "target_entropy_nats", "search_kl_nats",
        "resign_error_fraction", "full_batch_fraction", "starving_batch_fraction",
        "full_block_fraction", "queue_wait_mean_ms", "round_trip_mean_ms", "mean_batch_rows"}) {
    EXPECT_FALSE(lines[0].contains(key)) << key;
  }
  EXPECT_EQ(lines[0].at("mean_plies"), 7.0);
}

TEST_F(IterationMetricsTest, ARunThatNeverResignsSaysNothingOfIt) {
  config_.loop.iterations = 1;
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  const std::vector<nlohmann::json> lines = IterationLines();
  ASSERT_EQ(lines.size(), 1u);
  for (const char* key : {"resign_audited", "resign_errors", "resign_threshold", "resign_on"}) {
    EXPECT_FALSE(lines[0].contains(key)) << key;
  }
}

// What a phase measured outlives the process, and what the fleet did in it is in the sums.
TEST_F(IterationMetricsTest, AResumeKeepsWhatSelfPlayMeasured) {
  config_.loop.iterations = 1;
  config_.self_play.games_per_iteration = 10;
  FakeFleet first;
  Prescribe(first);
  first.fail_at_call = 3;  // the training
  ASSERT_FALSE(Start(first));
  ASSERT_EQ(first.calls.back(), "play 0 0 10+0");
  FakeFleet second;
  Prescribe(second);
  const Result<void> run = Start(second);
  ASSERT_TRUE(run) << run.error().message;
  const std::vector<nlohmann::json> lines = IterationLines();
  ASSERT_EQ(lines.size(), 1u);
  for (const auto& [key, values] : kExpected) {
    if (key.starts_with("resign") || key == "weights_version") continue;  // off; loaded once more
    EXPECT_NEAR(lines[0].at(key).get<double>(), values.first, 1e-12) << key;
  }
}

TEST_F(IterationMetricsTest, SelfPlayThatWasStoppedCounts) {
  config_.loop.iterations = 1;
  config_.self_play.games_per_iteration = 10;
  config_.search.resign.threshold = 0.5f;
  const auto prescribe = [this](FakeFleet& fleet) {  // as much in both starts
    Prescribe(fleet);
    fleet.per_phase.resign_audited = 1200 - 80;
  };
  FakeFleet first;
  prescribe(first);
  first.stops_in_play = true;
  ASSERT_FALSE(Start(first));
  FakeFleet second;
  prescribe(second);
  const Result<void> run = Start(second);
  ASSERT_TRUE(run) << run.error().message;
  const std::vector<nlohmann::json> lines = IterationLines();
  ASSERT_EQ(lines.size(), 1u);
  const std::map<std::string, double> expected = {
      {"self_play_s", 8},       {"games", 10},           {"games_per_s", 2},
      {"rows_per_move", 9},     {"failed_games", 6},     {"resign_audited", 2400},
      {"resign_errors", 40},    {"bad_rows", 22},        {"evaluations", 1400},
      {"simulations", 9000},    {"runner_busy_s", 5.75}, {"worker_restarts", 4},
      {"mean_batch_rows", 17.5}};
  for (const auto& [key, value] : expected) {
    EXPECT_NEAR(lines[0].at(key).get<double>(), value, 1e-12) << key;
  }
  EXPECT_EQ(state_.resign.games, 1200) << "halved: audits count whichever start made them";
}

// A killed process takes its counts with it: no key, for 0 would say that nothing was wrong.
TEST_F(IterationMetricsTest, WhatAKilledStartCountedIsUnknown) {
  config_.self_play.games_per_iteration = 10;
  for (const bool is_killed : {false, true}) {
    std::filesystem::remove_all(folder_);
    std::filesystem::path state_file;
    FakeFleet first;
    Prescribe(first);
    if (is_killed) {
      first.on_play = [&](const GamePhaseSpec&) {  // as the files are while it plays
        state_file = folder_ + "/run/state.json";
        std::filesystem::copy(state_file, folder_ + "/kept");
        first.stops_in_play = true;
      };
    } else {
      first.stops_in_play = true;
    }
    ASSERT_FALSE(Start(first));
    if (is_killed) {
      std::filesystem::copy(folder_ + "/kept", state_file,
                            std::filesystem::copy_options::overwrite_existing);
    }
    FakeFleet second;
    Prescribe(second);
    const Result<void> run = Start(second);
    ASSERT_TRUE(run) << run.error().message;
    const std::vector<nlohmann::json> lines = IterationLines();
    ASSERT_EQ(lines.size(), 2u);
    for (const char* key : {"failed_games", "bad_rows", "proven_errors"}) {
      EXPECT_EQ(lines[0].contains(key), !is_killed) << key;
      EXPECT_TRUE(lines[1].contains(key)) << key << ", which is of the next iteration";
    }
    EXPECT_EQ(lines[0].at("mean_plies"), 6.9);
    EXPECT_EQ(lines[0].at("rows_per_move"), 9.0) << "of what was counted";
  }
}

TEST_F(IterationMetricsTest, ARunThatIsMadeLongerHasLostNothing) {
  for (const int iterations : {1, 2}) {
    config_.loop.iterations = iterations;
    FakeFleet fleet;
    ASSERT_TRUE(Start(fleet));
  }
  ASSERT_EQ(IterationLines().size(), 2u);
  EXPECT_TRUE(IterationLines()[1].contains("failed_games"));
}

// All of them were begun in advance and ended in the iteration before.
TEST_F(IterationMetricsTest, GamesOfTheIterationBeforeLeaveNoSpeed) {
  config_.loop.iterations = 1;
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  const std::vector<nlohmann::json> lines = IterationLines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].at("games"), 6);
  EXPECT_FALSE(lines[0].contains("games_per_s"));
  EXPECT_EQ(lines[0].at("failed_games"), 0);
}

}  // namespace
}  // namespace az
