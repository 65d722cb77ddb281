#include "engine/train/training_metrics.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

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
  if (weights.opponent > 0) out[key("loss_opponent_nats")] = sums.OpponentLoss();
  if (weights.opponent > 0) out[key("kl_opponent_nats")] = sums.OpponentKl();
  if (weights.short_term > 0) out[key("short_term_mse")] = sums.ShortTermMse();
}

// The most played first moves: [action, share of the games], by falling share.
nlohmann::ordered_json FirstMoves(const IterationGames::FromStart& games) {
  constexpr std::size_t kMost = 32;
  std::vector<std::pair<std::int64_t, std::size_t>> moves;
  for (std::size_t action = 0; action < games.first_moves.size(); ++action) {
    if (games.first_moves[action] > 0) moves.emplace_back(-games.first_moves[action], action);
  }
  std::ranges::sort(moves);
  if (moves.size() > kMost) moves.resize(kMost);
  auto shares = nlohmann::ordered_json::array();
  for (const auto& [minus_count, action] : moves) {
    shares.push_back(
        {action, static_cast<double>(-minus_count) / static_cast<double>(games.games)});
  }
  return shares;
}

void AddGames(nlohmann::ordered_json& out, const IterationGames& games) {
  out["self_play_games"] = games.games;
  out["self_play_positions"] = games.positions;
  out["self_play_mean_plies"] = games.mean_plies();
  out["self_play_draws"] = games.draws;
  const IterationGames::FromStart& start = games.from_start;
  out["self_play_games_from_start"] = start.games;
  if (start.games == 0) return;  // random openings say nothing of the players
  out["self_play_first_player_score_fraction"] = start.first_player_score();
  out["self_play_first_move_entropy_nats"] = start.first_move_entropy_nats();
  out["self_play_first_moves"] = FirstMoves(start);
}

void AddValues(nlohmann::ordered_json& out, std::span<const ValueHealth> quarters) {
  ValueHealth values;
  for (const ValueHealth& quarter : quarters) values += quarter;
  if (values.count() == 0) return;
  out["held_out_value_rows"] = static_cast<std::int64_t>(values.count());
  out["held_out_value_ece"] = values.CalibrationError();
  out["held_out_value_mean_abs"] = values.MeanAbsolute();
  out["held_out_value_brier"] = values.Brier();
  if (const auto correlation = values.Correlation()) {
    out["held_out_value_correlation"] = *correlation;
  }
  auto& by_ply = out["held_out_value_correlation_by_quarter"] = nlohmann::ordered_json::array();
  for (const ValueHealth& quarter : quarters) {
    nlohmann::ordered_json& pair = by_ply.emplace_back(nlohmann::ordered_json::array());
    pair.push_back(static_cast<std::int64_t>(quarter.count()));
    const std::optional<double> correlation = quarter.Correlation();
    pair.push_back(correlation ? nlohmann::ordered_json(*correlation) : nullptr);
  }
  auto& bins = out["held_out_value_bins"] = nlohmann::ordered_json::array();
  for (const ValueHealth::Bin& bin : values.bins()) {
    bins.push_back(
        {static_cast<std::int64_t>(bin.count), bin.mean_predicted(), bin.mean_outcome()});
  }
}

}  // namespace

void TrainingMetrics::Count(const StepReport& report, double rate) {
  trained_rows += report.sums.rows;
  if (report.is_skipped) {
    ++skipped_steps;
    return;
  }
  ++steps;
  if (report.is_clipped) ++clipped_steps;
  gradient_norm_sum += report.gradient_norm;
  gradient_norm_max = std::max(gradient_norm_max, report.gradient_norm);
  learning_rate = rate;
  training += report.sums;
}

void TrainingMetrics::CountReturn(std::string_view reason) {
  ++restores;
  restore_reason = reason;
}

void TrainingMetrics::StartOver() {
  steps = clipped_steps = 0;
  gradient_norm_sum = gradient_norm_max = 0;
  training = {};
}

void TrainingMetrics::SetSamples(std::int64_t total, double debt) {
  samples_total = total;
  ratio_debt_samples = debt;
}

std::string ToJson(const TrainingMetrics& m, const ReplayWindow& window) {
  nlohmann::ordered_json out;
  AddLosses(out, "", m.training, m.loss_weights);
  AddLosses(out, "held_out_latest_", m.held_out_latest, m.loss_weights);
  AddLosses(out, "held_out_older_", m.held_out_older, m.loss_weights);
  AddValues(out, m.held_out_values);
  if (m.training.rows > 0) {
    out["train_target_entropy_nats"] = m.training.PolicyLoss() - m.training.PolicyKl();
  }
  if (m.steps > 0) out["lr"] = m.learning_rate;
  out["lr_factor"] = m.rate_factor;
  if (m.steps_s > 0) {
    out["judged_loss_before"] = m.judged_loss_before;
    out["judged_loss_after"] = m.judged_loss_after;
  }
  if (m.served_value_rmse) out["served_value_rmse"] = *m.served_value_rmse;
  if (m.update_weight_ratio) out["update_weight_ratio"] = *m.update_weight_ratio;
  if (m.steps > 0) {
    const auto steps = static_cast<double>(m.steps);
    out["grad_norm"] = m.gradient_norm_sum / steps;
    out["grad_norm_max"] = m.gradient_norm_max;
    out["clipped_fraction"] = static_cast<double>(m.clipped_steps) / steps;
  }
  out["steps"] = m.steps;
  if (m.forgone_steps > 0) out["forgone_steps"] = m.forgone_steps;
  out["skipped_steps"] = m.skipped_steps;
  out["restores"] = m.restores;
  out["device_returns"] = m.device_returns;
  if (m.restores > 0) out["restore_reason"] = m.restore_reason;
  out["samples"] = static_cast<std::int64_t>(m.training.rows);
  out["samples_total"] = m.samples_total;
  if (m.steps_s > 0) out["samples_per_s"] = m.trained_rows / m.steps_s;
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
  const WindowAge age = AgeOf(window.train(), m.iteration);
  out["weights_lag_mean_versions"] = age.lag_mean_versions;
  out["weights_lag_p95_versions"] = age.lag_p95_versions;
  out["data_age_mean_iterations"] = age.mean_iterations;
  out["data_age_p95_iterations"] = age.p95_iterations;
  if (m.census.positions > 0) {
    out["distinct_positions"] = m.census.distinct;
    out["counted_positions"] = m.census.positions;
    out["duplicate_fraction"] = m.census.duplicate_fraction();
  }
  if (const IterationGames* games = window.iteration(m.iteration)) AddGames(out, *games);
  return out.dump();
}

}  // namespace az
