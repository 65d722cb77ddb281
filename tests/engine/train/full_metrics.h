#pragma once
// Metrics of a training in which every part is there and no two numbers are alike, and a window to
// go with them.

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/train/training_metrics.h"
#include "tests/engine/data/records.h"

namespace az {

inline constexpr double kHeldOutFraction = 0.3;
inline constexpr std::uint32_t kIteration = 7;

// ---- the window ----

struct Played {
  std::uint32_t iteration = kIteration;
  std::uint64_t weights_version = 10;
  int positions = 0;
  int other_plies = 0;  // without a policy
  int first_move = 0;
  Outcome outcome = Outcome::kFirstWins;
  bool is_from_start = true;  // else its first move is a random opening's
  bool is_held_out = false;
};

inline GameRecord RecordOf(const Played& played, GameId id) {
  GameRecord record{.id = id, .moves = {}, .outcome = played.outcome};
  for (int ply = 0; ply < played.positions + played.other_plies; ++ply) {
    const int action = ply == 0 ? played.first_move : ply;
    record.moves.push_back(ply < played.positions ? TestMove(ply, action, {{Action{1}, 9}})
                                                  : TestMove(ply, action));
    record.moves.back().weights_version = played.weights_version;
  }
  if (!played.is_from_start) record.moves.front().flags |= kMoveRandomOpening;
  return record;
}

struct FilledWindow {
  ReplayWindow window;
  std::vector<Bytes> memory;  // of each game
};

inline FilledWindow Fill(const std::vector<Played>& games) {
  FilledWindow filled{
      .window = ReplayWindow({.max_positions = 100, .held_out_fraction = kHeldOutFraction}),
      .memory = {}};
  filled.window.Open(kIteration);
  std::uint32_t index = 0;
  for (const Played& played : games) {
    GameId id;  // ids alone decide who is held out
    do {
      id = GameId::Make(GameKind::kSelfPlay, played.iteration, index++);
    } while (IsHeldOut(id, kHeldOutFraction) != played.is_held_out);
    const GameRecord record = RecordOf(played, id);
    filled.memory.push_back(PackedGame(record).memory());
    filled.window.Add(record);
  }
  filled.window.Settle();
  return filled;
}

// 120 positions to train on, of which the newest 100 stay: all but the first game. By iteration 4,
// 36 and 60, which the weights are 6, 4 and 0 versions behind.
inline FilledWindow SmallWindow() {
  return Fill({
      {.iteration = 4, .weights_version = 1, .positions = 20},
      {.iteration = 5, .weights_version = 4, .positions = 4},
      {.iteration = 6, .weights_version = 6, .positions = 22},
      {.iteration = 6, .weights_version = 6, .positions = 14},
      {.iteration = 6, .weights_version = 6, .positions = 7, .is_held_out = true},
      {.positions = 20, .first_move = 4},
      {.positions = 12, .other_plies = 3, .first_move = 4, .outcome = Outcome::kDraw},
      {.positions = 10, .first_move = 2, .outcome = Outcome::kSecondWins},
      {.positions = 8, .other_plies = 5, .outcome = Outcome::kDraw},
      {.positions = 6, .outcome = Outcome::kDraw, .is_from_start = false},
      {.positions = 4, .other_plies = 4, .is_from_start = false},
      {.positions = 9,
       .other_plies = 3,
       .first_move = 4,
       .outcome = Outcome::kSecondWins,
       .is_held_out = true},
  });
}

// ---- the numbers ----

// In the order of LossSums: rows; of the policy: weight, cross entropy, entropy of the targets,
// agreement; of the outcome: cross entropy, hits; squares of v - q, v - z; of the opponent: weight,
// cross entropy, entropy; squares of s - s_hat.
inline constexpr LossSums kTraining{1000, 800, 1600, 1200, 480, 700, 650,
                                    90,   310, 400,  1000, 680, 120};
inline constexpr LossSums kLatest{200, 160, 352, 236, 88, 150, 124, 22, 66, 100, 260, 175, 28};
inline constexpr LossSums kOlder{500, 400, 960, 590, 212, 390, 305, 66, 175, 250, 675, 450, 80};

inline ValueHealth ValuesOf(const std::vector<std::pair<double, double>>& values_and_outcomes) {
  ValueHealth health;
  for (const auto& [value, outcome] : values_and_outcomes) health.Add(value, outcome);
  return health;
}

// Every part is there.
inline TrainingMetrics FullMetrics() {
  return {.iteration = kIteration,
          .loss_weights =
              {.policy = 1.5, .value = 2.0, .value_mix = 0.25, .opponent = 0.5, .short_term = 3.0},
          .steps = 40,
          .forgone_steps = 90,
          .skipped_steps = 15,
          .clipped_steps = 6,
          .restores = 21,
          .restore_reason = "loss 812.000",
          .device_returns = 23,
          .rate_factor = 0.375,
          .judged_loss_before = 4.25,
          .judged_loss_after = 3.75,
          .gradient_norm_sum = 50,
          .gradient_norm_max = 3.5,
          .learning_rate = 0.0125,
          .training = kTraining,
          .trained_rows = 1400,
          .held_out_latest = kLatest,
          .held_out_older = kOlder,
          .held_out_values = {ValuesOf({{0.5, 1}, {-0.5, 0}, {0.1, 1}, {0.15, 0}}),
                              ValuesOf({{0.3, 0}, {0.7, 1}, {-0.3, 1}}),
                              ValuesOf({{0.9, -1}, {-0.1, 0}}), ValuesOf({{-0.9, -1}})},
          .update_weight_ratio = 0.001,
          .served_value_rmse = 0.045,
          .census = {.positions = 64, .distinct = 48},
          .load_s = 1.75,
          .steps_s = 32,
          .finish_s = 2.25,
          .samples_total = 123'456,
          .ratio_debt_samples = 78.5,
          .conflicted_games = 27};
}

}  // namespace az
