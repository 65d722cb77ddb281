#pragma once
// What one training phase found out, as a JSON object for metrics.jsonl. Units are in the names;
// docs/learning.md says what to look out for.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/data/replay_window.h"
#include "engine/data/window_facts.h"
#include "engine/train/learner.h"
#include "engine/train/loss.h"
#include "engine/train/value_health.h"

namespace az {

struct TrainingMetrics {
  std::uint32_t iteration = 0;
  LossWeights loss_weights;

  std::int64_t steps = 0;          // of this iteration since the last return, skipped ones excluded
  std::int64_t forgone_steps = 0;  // due, and left out by train.max_steps
  std::int64_t skipped_steps = 0;
  std::int64_t clipped_steps = 0;
  std::int64_t restores = 0;        // for divergence
  std::string restore_reason;       // of the last one
  std::int64_t device_returns = 0;  // for an update that the device failed half-way
  double rate_factor = 1.0;         // on the schedule's rate, at the end
  double judged_loss_before = 0;    // of the same rows, averaged weights, before the first step
  double judged_loss_after = 0;     // and after the last one; of an end that diverged: the latter's
  double gradient_norm_sum = 0;
  double gradient_norm_max = 0;
  double learning_rate = 0;  // of the last step
  LossSums training;         // summed over the steps
  double trained_rows = 0;   // in steps_s: of steps that were skipped or led nowhere, too
  LossSums held_out_latest;  // of held-out games of the newest iteration; averaged weights
  LossSums held_out_older;
  // Of both, by the quarter of its game that a position's ply lies in.
  std::array<ValueHealth, 4> held_out_values;
  std::optional<double> update_weight_ratio;  // of the last step; none was kept: nothing
  // Of the values that the iteration's searches were served, from those of the weights that
  // training began from.
  std::optional<double> served_value_rmse;
  PositionCensus census;  // of the iteration's games

  double load_s = 0;  // reading journals and checkpoint
  double steps_s = 0;
  double finish_s = 0;  // statistics, held-out losses, writing

  std::int64_t samples_total = 0;  // of the run
  double ratio_debt_samples = 0;
  std::int64_t conflicted_games = 0;  // of the whole run so far

  void Count(const StepReport& report, double rate);
  void CountReturn(std::string_view reason);
  // After a return to the iteration's start: the steps so far have led nowhere and count no more.
  void StartOver();
  void SetSamples(std::int64_t total, double debt);
};

// `window` as it was trained on.
std::string ToJson(const TrainingMetrics& metrics, const ReplayWindow& window);

}  // namespace az
