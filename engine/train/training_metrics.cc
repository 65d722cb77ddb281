#include "engine/train/training_metrics.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/strings.h"

namespace az {
namespace {

void AddLosses(nlohmann::ordered_json& out, std::string_view prefix, const LossSums& sums,
               const LossWeights& weights) {
  if (sums.rows == 0) return;
  const auto key = [&](std::string_view name) { return StrCat(prefix, name); };
  out[key("loss")] = sums.Loss(weights);
  out[key("loss_policy_nats")] = sums.PolicyLoss();
  out[key("loss_value")] = sums.ValueLoss(weights);
  out[key("loss_outcome_nats")] = sums.OutcomeLoss();
  out[key("kl_policy_nats")] = sums.PolicyKl();
  out[key("best_action_agreement_fraction")] = sums.BestActionAgreement();
  out[key("outcome_accuracy_fraction")] = sums.OutcomeAccuracy();
  out[key("outcome_mse")] = sums.OutcomeMse();
  out[key("root_value_mse")] = sums.RootValueMse();
}

void AddGames(nlohmann::ordered_json& out, const IterationGames& games) {
  out["self_play_games"] = games.games;
  out["self_play_positions"] = games.positions;
  out["self_play_mean_plies"] = games.mean_plies();
  out["self_play_first_player_score_fraction"] = games.first_player_score();
  out["self_play_draws"] = games.draws;
  out["self_play_first_move_entropy_nats"] = games.first_move_entropy_nats();
}

}  // namespace

void TrainingMetrics::Count(const StepReport& report, double rate) {
  if (report.is_skipped) {
    ++skipped_steps;
    return;
  }
  ++steps;
  if (report.is_clipped) ++clipped_steps;
  gradient_norm_sum += report.gradient_norm;
  learning_rate = rate;
  training += report.sums;
}

std::string ToJson(const TrainingMetrics& m, const ReplayWindow& window) {
  nlohmann::ordered_json out;
  const double steps = static_cast<double>(std::max<std::int64_t>(1, m.steps));
  AddLosses(out, "", m.training, m.loss_weights);
  AddLosses(out, "held_out_latest_", m.held_out_latest, m.loss_weights);
  AddLosses(out, "held_out_older_", m.held_out_older, m.loss_weights);
  out["lr"] = m.learning_rate;
  out["grad_norm"] = m.gradient_norm_sum / steps;
  out["clipped_fraction"] = static_cast<double>(m.clipped_steps) / steps;
  out["steps"] = m.steps;
  out["skipped_steps"] = m.skipped_steps;
  out["restores"] = m.restores;
  out["samples"] = static_cast<std::int64_t>(m.training.rows);
  out["samples_total"] = m.samples_total;
  out["samples_per_s"] = m.steps_s > 0 ? m.training.rows / m.steps_s : 0.0;
  out["train_load_s"] = m.load_s;
  out["train_steps_s"] = m.steps_s;
  out["train_finish_s"] = m.finish_s;
  out["window_positions"] = window.train().positions();
  out["window_games"] = window.train().games().size();
  out["window_bytes"] = window.memory().count();
  out["held_out_positions"] = window.held_out().positions();
  out["made_positions"] = window.made_positions();
  out["ratio_debt_samples"] = m.ratio_debt_samples;
  out["conflicted_games"] = m.conflicted_games;
  if (const IterationGames* games = window.iteration(m.iteration)) AddGames(out, *games);
  return out.dump();
}

}  // namespace az
