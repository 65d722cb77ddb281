// From the numbers of a training to their keys in metrics.jsonl: no two numbers are alike here, so
// that none can stand under another's key.

#include "engine/train/training_metrics.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/train/full_metrics.h"

namespace az {
namespace {

using Json = nlohmann::json;
using Keys = std::set<std::string>;

// ---- what they are as keys ----

// The sums over their rows or weights; the loss is 1.5 policy + 2 value + 0.5 opponent + 3 short
// term, of which the value is 0.75 outcome + 0.25 · 2 root.
Json ExpectedLosses() {
  const struct {
    std::string key;
    double training, latest, older;
  } rows[] = {{"loss", 5.75, 6.255, 6.732},
              {"loss_policy_nats", 2.0, 2.2, 2.4},
              {"loss_value", 0.57, 0.6175, 0.651},
              {"loss_outcome_nats", 0.7, 0.75, 0.78},
              {"kl_policy_nats", 0.5, 0.725, 0.925},
              {"best_action_agreement_fraction", 0.6, 0.55, 0.53},
              {"outcome_accuracy_fraction", 0.65, 0.62, 0.61},
              {"outcome_mse", 0.31, 0.33, 0.35},
              {"root_value_mse", 0.09, 0.11, 0.132},
              {"loss_opponent_nats", 2.5, 2.6, 2.7},
              {"kl_opponent_nats", 0.8, 0.85, 0.9},
              {"short_term_mse", 0.12, 0.14, 0.16}};
  Json expected = {{"train_target_entropy_nats", 1.5}};
  for (const auto& row : rows) {
    expected[row.key] = row.training;
    expected["held_out_latest_" + row.key] = row.latest;
    expected["held_out_older_" + row.key] = row.older;
  }
  return expected;
}

// Of the ten pairs of FullMetrics, by hand and by the textbook formulas.
Json ExpectedValues() {
  return {
      {"held_out_value_rows", 10},
      {"held_out_value_ece", 0.575},
      {"held_out_value_mean_abs", 0.445},
      {"held_out_value_brier", 0.1708125},
      {"held_out_value_correlation", 0.21111051713673853},
      {"held_out_value_correlation_by_quarter",
       Json::array({{4, 0.6606947352996848}, {3, -0.11470786693528084}, {2, -1}, {1, nullptr}})},
      {"held_out_value_bins", Json::array({{1, -0.9, -1},
                                           {0, 0, 0},
                                           {1, -0.5, 0},
                                           {1, -0.3, 1},
                                           {1, -0.1, 0},
                                           {2, 0.125, 0.5},
                                           {1, 0.3, 0},
                                           {1, 0.5, 1},
                                           {1, 0.7, 1},
                                           {1, 0.9, -1}})}};
}

Json ExpectedTraining() {
  return {{"lr", 0.0125},
          {"lr_factor", 0.375},
          {"judged_loss_before", 4.25},
          {"judged_loss_after", 3.75},
          {"served_value_rmse", 0.045},
          {"update_weight_ratio", 0.001},
          {"grad_norm", 1.25},
          {"grad_norm_max", 3.5},
          {"clipped_fraction", 0.15},
          {"steps", 40},
          {"forgone_steps", 90},
          {"skipped_steps", 15},
          {"restores", 21},
          {"device_returns", 23},
          {"restore_reason", "loss 812.000"},
          {"samples", 1000},
          {"samples_total", 123'456},
          {"samples_per_s", 43.75},
          {"train_load_s", 1.75},
          {"train_steps_s", 32},
          {"train_finish_s", 2.25},
          {"ratio_debt_samples", 78.5},
          {"conflicted_games", 27}};
}

// Lags and ages are means over 100 positions; 96 of them are at most 4 versions and 1 iteration
// behind. The seven games of iteration 7 have 84 plies; five began with a move of the player's.
Json ExpectedWindow(Bytes memory) {
  return {{"window_positions", 100},
          {"window_games", 9},
          {"window_bytes", memory.count()},
          {"held_out_positions", 16},
          {"made_positions", 120},
          {"weights_lag_mean_versions", 1.68},
          {"weights_lag_p95_versions", 4},
          {"data_age_mean_iterations", 0.44},
          {"data_age_p95_iterations", 1},
          {"distinct_positions", 48},
          {"counted_positions", 64},
          {"duplicate_fraction", 0.25},
          {"self_play_games", 7},
          {"self_play_positions", 69},
          {"self_play_mean_plies", 12},
          {"self_play_draws", 3},
          {"self_play_games_from_start", 5},
          {"self_play_first_player_score_fraction", 0.4},  // a win and two draws
          {"self_play_first_move_entropy_nats", 0.9502705392332347},
          {"self_play_first_moves", Json::array({{4, 0.6}, {0, 0.2}, {2, 0.2}})}};
}

// ---- comparing ----

void ExpectSame(const std::string& text, const Json& expected) {
  const Json found = Json::parse(text).flatten();  // "/key", or "/key/2/0" within an array
  const Json wanted = expected.flatten();
  for (const auto& [place, value] : wanted.items()) {
    if (!found.contains(place)) {
      ADD_FAILURE() << place << " is missing";
    } else if (value.is_number() && found.at(place).is_number()) {
      EXPECT_NEAR(found.at(place).get<double>(), value.get<double>(), 1e-9) << place;
    } else {
      EXPECT_EQ(found.at(place), value) << place;
    }
  }
  for (const auto& [place, value] : found.items()) {
    EXPECT_TRUE(wanted.contains(place)) << place << " = " << value << " is tested by nobody";
  }
}

void ExpectNoTwoAlike(const Json& expected) {
  std::map<double, std::string> keys;
  for (const auto& [key, value] : expected.items()) {
    if (!value.is_number()) continue;
    const auto [other, is_new] = keys.emplace(value.get<double>(), key);
    EXPECT_TRUE(is_new) << key << " and " << other->second << " could be swapped unseen";
  }
}

Keys KeysOf(const TrainingMetrics& metrics, const ReplayWindow& window) {
  Keys keys;
  const Json found = Json::parse(ToJson(metrics, window));
  for (const auto& [key, value] : found.items()) keys.insert(key);
  return keys;
}

// Of a training that measured nothing.
Json OnlyGames(const ReplayWindow& window) {
  TrainingMetrics metrics;
  metrics.iteration = kIteration;
  return Json::parse(ToJson(metrics, window));
}

// ---- the tests ----

TEST(TrainingMetrics, EveryNumberStandsUnderItsKey) {
  const FilledWindow filled = SmallWindow();
  Bytes memory;
  for (const Bytes game : filled.memory) memory += game;
  memory -= filled.memory.front();  // dropped
  Json expected = ExpectedLosses();
  expected.update(ExpectedValues());
  expected.update(ExpectedTraining());
  expected.update(ExpectedWindow(memory));
  ExpectNoTwoAlike(expected);
  ExpectSame(ToJson(FullMetrics(), filled.window), expected);
}

TEST(TrainingMetrics, NothingMeasuredLeavesOnlyCountsAndTimes) {
  TrainingMetrics metrics;
  metrics.skipped_steps = 3;
  metrics.rate_factor = 0.5;
  metrics.load_s = 0.25;
  const ReplayWindow window(WindowOptions{});
  ExpectSame(ToJson(metrics, window), {{"lr_factor", 0.5},
                                       {"steps", 0},
                                       {"skipped_steps", 3},
                                       {"restores", 0},
                                       {"device_returns", 0},
                                       {"samples", 0},
                                       {"samples_total", 0},
                                       {"train_load_s", 0.25},
                                       {"train_steps_s", 0},
                                       {"train_finish_s", 0},
                                       {"window_positions", 0},
                                       {"window_games", 0},
                                       {"window_bytes", 0},
                                       {"held_out_positions", 0},
                                       {"made_positions", 0},
                                       {"ratio_debt_samples", 0},
                                       {"conflicted_games", 0},
                                       {"weights_lag_mean_versions", 0},
                                       {"weights_lag_p95_versions", 0},
                                       {"data_age_mean_iterations", 0},
                                       {"data_age_p95_iterations", 0}});
}

TEST(TrainingMetrics, APartThatIsOffLeavesNoKey) {
  const std::pair<std::function<void(TrainingMetrics&)>, Keys> cases[] = {
      {[](TrainingMetrics& m) { m.loss_weights.opponent = 0; },
       {"loss_opponent_nats", "kl_opponent_nats", "held_out_latest_loss_opponent_nats",
        "held_out_latest_kl_opponent_nats", "held_out_older_loss_opponent_nats",
        "held_out_older_kl_opponent_nats"}},
      {[](TrainingMetrics& m) { m.loss_weights.short_term = 0; },
       {"short_term_mse", "held_out_latest_short_term_mse", "held_out_older_short_term_mse"}},
      {[](TrainingMetrics& m) { m.steps = 0; },
       {"lr", "grad_norm", "grad_norm_max", "clipped_fraction"}},
      {[](TrainingMetrics& m) { m.steps_s = 0; },
       {"judged_loss_before", "judged_loss_after", "samples_per_s"}},
      {[](TrainingMetrics& m) { m.forgone_steps = 0; }, {"forgone_steps"}},
      {[](TrainingMetrics& m) { m.restores = 0; }, {"restore_reason"}},
      {[](TrainingMetrics& m) { m.update_weight_ratio.reset(); }, {"update_weight_ratio"}},
      {[](TrainingMetrics& m) { m.served_value_rmse.reset(); }, {"served_value_rmse"}},
      {[](TrainingMetrics& m) { m.census = {}; },
       {"distinct_positions", "counted_positions", "duplicate_fraction"}},
      {[](TrainingMetrics& m) { m.held_out_values = {}; },
       {"held_out_value_rows", "held_out_value_ece", "held_out_value_mean_abs",
        "held_out_value_brier", "held_out_value_correlation",
        "held_out_value_correlation_by_quarter", "held_out_value_bins"}},
      {[](TrainingMetrics& m) { m.iteration = kIteration + 1; },  // which has no game yet
       {"self_play_games", "self_play_positions", "self_play_mean_plies", "self_play_draws",
        "self_play_games_from_start", "self_play_first_player_score_fraction",
        "self_play_first_move_entropy_nats", "self_play_first_moves"}}};
  const FilledWindow filled = SmallWindow();
  for (const auto& [change, lost] : cases) {
    TrainingMetrics metrics = FullMetrics();
    Keys expected = KeysOf(metrics, filled.window);
    change(metrics);
    for (const std::string& key : lost) EXPECT_EQ(expected.erase(key), 1u) << key;
    EXPECT_EQ(KeysOf(metrics, filled.window), expected) << "without " << *lost.begin();
  }
}

TEST(TrainingMetrics, LossesWithoutRowsLeaveNoKey) {
  const FilledWindow filled = SmallWindow();
  TrainingMetrics metrics = FullMetrics();
  metrics.training = metrics.held_out_latest = metrics.held_out_older = {};
  Keys expected = KeysOf(FullMetrics(), filled.window);
  const Json losses = ExpectedLosses();
  for (const auto& [key, value] : losses.items()) expected.erase(key);
  EXPECT_EQ(KeysOf(metrics, filled.window), expected);
}

TEST(TrainingMetrics, ValuesThatDoNotVaryHaveNoCorrelation) {
  const FilledWindow filled = SmallWindow();
  TrainingMetrics metrics = FullMetrics();
  metrics.held_out_values = {ValuesOf({{0.5, 1}}), ValuesOf({{-0.5, 1}}), {}, {}};
  Keys expected = KeysOf(FullMetrics(), filled.window);
  expected.erase("held_out_value_correlation");
  EXPECT_EQ(KeysOf(metrics, filled.window), expected);
  const Json found = Json::parse(ToJson(metrics, filled.window));
  EXPECT_EQ(found.at("held_out_value_correlation_by_quarter"),
            Json::parse("[[1,null],[1,null],[0,null],[0,null]]"));
}

TEST(TrainingMetrics, RandomOpeningsSayNothingOfTheStart) {
  const FilledWindow filled =
      Fill({{.positions = 6, .outcome = Outcome::kDraw, .is_from_start = false}});
  const Json found = OnlyGames(filled.window);
  EXPECT_EQ(found.at("self_play_games"), 1);
  EXPECT_EQ(found.at("self_play_draws"), 1);
  EXPECT_EQ(found.at("self_play_games_from_start"), 0);
  for (const char* key : {"self_play_first_player_score_fraction",
                          "self_play_first_move_entropy_nats", "self_play_first_moves"}) {
    EXPECT_FALSE(found.contains(key)) << key;
  }
}

TEST(TrainingMetrics, OnlyTheMostPlayedFirstMovesAreListed) {
  std::vector<Played> games;
  for (int action = 0; action < 40; ++action) {
    games.push_back({.positions = 1, .first_move = action});
  }
  games.push_back({.positions = 1, .first_move = 39});
  const FilledWindow filled = Fill(games);
  const Json found = OnlyGames(filled.window);
  const Json& moves = found.at("self_play_first_moves");
  ASSERT_EQ(moves.size(), 32u);
  EXPECT_EQ(moves.front().at(0), 39);
  EXPECT_NEAR(moves.front().at(1).get<double>(), 2.0 / 41, 1e-12);
  EXPECT_EQ(moves.back().at(0), 30);
}

// ---- counting ----

using Sums = std::array<double, sizeof(LossSums) / sizeof(double)>;

LossSums TimesItsPlace(double factor) {
  Sums sums{};
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = factor * static_cast<double>(i + 1);
  return std::bit_cast<LossSums>(sums);
}

StepReport Step(const LossSums& sums, double gradient_norm) {
  StepReport report;
  report.sums = sums;
  report.gradient_norm = gradient_norm;
  return report;
}

TEST(TrainingMetrics, CountsStepsButNotWhatSkippedOnesReport) {
  StepReport clipped = Step(TimesItsPlace(100), 0.5);
  clipped.is_clipped = true;
  StepReport skipped = Step(TimesItsPlace(1e6), 1e6);
  skipped.is_skipped = skipped.is_clipped = true;
  TrainingMetrics metrics;
  metrics.Count(Step(TimesItsPlace(1), 2.5), 0.1);
  metrics.Count(Step(TimesItsPlace(10), 4.0), 0.2);
  metrics.Count(clipped, 0.3);
  metrics.Count(skipped, 0.4);
  metrics.Count(skipped, 0.5);
  EXPECT_EQ(metrics.steps, 3);
  EXPECT_EQ(metrics.clipped_steps, 1);
  EXPECT_EQ(metrics.skipped_steps, 2);
  EXPECT_EQ(metrics.gradient_norm_sum, 7.0);
  EXPECT_EQ(metrics.gradient_norm_max, 4.0);
  EXPECT_EQ(metrics.learning_rate, 0.3);
  EXPECT_EQ(std::bit_cast<Sums>(metrics.training), std::bit_cast<Sums>(TimesItsPlace(111)));
  EXPECT_EQ(metrics.trained_rows, 111 + 2e6) << "they took their time";
}

TEST(TrainingMetrics, StepsBeforeAReturnCountNoMore) {
  const FilledWindow filled = SmallWindow();
  TrainingMetrics metrics = FullMetrics();
  metrics.StartOver();
  metrics.CountReturn("loss 77.000");
  metrics.Count(Step(kLatest, 0.5), 0.01);
  metrics.SetSamples(654, 3.25);
  const Json found = Json::parse(ToJson(metrics, filled.window));
  const std::map<std::string, double> expected = {
      {"steps", 1},           {"samples", 200},
      {"grad_norm", 0.5},     {"grad_norm_max", 0.5},
      {"loss", 6.255},        {"restores", 22},
      {"skipped_steps", 15},  {"clipped_fraction", 0},
      {"device_returns", 23}, {"samples_total", 654},
      {"lr", 0.01},           {"ratio_debt_samples", 3.25}};
  for (const auto& [key, value] : expected) {
    EXPECT_NEAR(found.at(key).get<double>(), value, 1e-12) << key;
  }
  EXPECT_EQ(found.at("restore_reason"), "loss 77.000");
}

}  // namespace
}  // namespace az
