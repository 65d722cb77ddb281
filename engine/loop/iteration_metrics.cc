// The line of metrics.jsonl that an iteration leaves.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/loop/training_loop.h"

namespace az {
namespace {

// No key without a count: zero would say that it was measured.
template <class Sum>
void AddMean(std::string_view key, Sum sum, std::uint64_t count, MetricsLine& line) {
  if (count > 0) line.Add(key, static_cast<double>(sum) / static_cast<double>(count));
}

// How the server's batches were filled, and how long the workers waited for them.
void AddServing(const ServingCounts& of, MetricsLine& line) {
  AddMean("pad_fraction", of.pad_rows, of.device_rows + of.pad_rows, line);
  AddMean("full_batch_fraction", of.full_batches, of.batches, line);
  AddMean("starving_batch_fraction", of.starving_batches, of.batches, line);
  AddMean("full_block_fraction", of.full_blocks, of.answered_blocks, line);
  AddMean("queue_wait_mean_ms", 1e3 * of.queue_wait_s, of.answered_blocks, line);
  AddMean("round_trip_mean_ms", 1e3 * of.round_trip_s, of.answered_blocks, line);
  line.Add("runner_busy_s", of.runner_busy_s)
      .Add("worker_asleep_s", of.asleep_s)
      .Add("requeued_blocks", static_cast<std::int64_t>(of.requeued_blocks))
      .Add("failed_blocks", static_cast<std::int64_t>(of.failed_blocks))
      .Add("lost_hints", static_cast<std::int64_t>(of.lost_hints))
      .Add("protocol_violations", static_cast<std::int64_t>(of.violations));
}

}  // namespace

Result<void> TrainingLoop::KeepMetrics(const MetricsLine& part) {
  std::string& kept = s_.dir.state().metrics;
  MetricsLine line;
  if (!kept.empty()) AZ_RETURN_IF_ERROR(line.Merge(kept));
  AZ_RETURN_IF_ERROR(line.Merge(part.text()));
  kept = line.text();
  return {};
}

std::int64_t TrainingLoop::KeptMetric(std::string_view name, std::int64_t otherwise) const {
  const auto kept = nlohmann::json::parse(s_.dir.state().metrics, nullptr, false);
  return kept.is_object() ? kept.value(std::string(name), otherwise) : otherwise;
}

Result<void> TrainingLoop::WriteIterationMetrics() {
  CountTotals();
  const RunState& state = s_.dir.state();
  MetricsLine line;
  line.Add("kind", std::string_view("iteration"))
      .Add("iteration", static_cast<std::int64_t>(state.iteration))
      .Add("elapsed_s", seconds_before_ + Seconds(s_.clock.Now() - started_));
  AZ_RETURN_IF_ERROR(line.Merge(state.metrics));
  AddServerMetrics(line);
  line.Add("weights_version", static_cast<std::int64_t>(state.best_version))
      .Add("promotions", static_cast<std::int64_t>(state.promotions));
  AddRatings(line);
  return s_.metrics.Append(line);
}

MetricsLine TrainingLoop::SelfPlayMetrics() const {
  const IterationTotals& totals = s_.dir.state().totals;
  const auto games = static_cast<double>(facts_.games);
  MetricsLine line;
  line.Add("self_play_s", totals.self_play_s)
      .Add("games", static_cast<std::int64_t>(facts_.games))
      .Add("plies", static_cast<std::int64_t>(facts_.plies))
      .Add("policy_samples", static_cast<std::int64_t>(facts_.policy_samples))
      .Add("mean_plies", static_cast<double>(facts_.plies) / games)
      .Add("first_player_win_fraction", static_cast<double>(facts_.first_wins) / games)
      .Add("draw_fraction", static_cast<double>(facts_.draws) / games);
  const auto finished = static_cast<double>(totals.self_play.games_finished);
  if (finished > 0) line.Add("games_per_s", finished / std::max(1e-9, totals.self_play_s));
  AddSelfPlaySearch(line);
  if (!totals.has_lost) AddSelfPlayFaults(line);  // else nobody knows their number
  return line;
}

// What self-play's searches added to the network's policy, and what they cost (docs/learning.md).
void TrainingLoop::AddSelfPlaySearch(MetricsLine& line) const {
  const WorkerCounts& of = s_.dir.state().totals.self_play;
  const std::uint64_t moves = of.searched_moves;  // random and forced ones cost nothing
  AddMean("rows_per_move", of.rows, moves, line);
  AddMean("cache_hit_fraction", of.cache_hits, of.cache_lookups, line);
  AddMean("simulations_per_move", of.simulations, moves, line);
  AddMean("proven_root_fraction", of.proven_roots, moves, line);
  AddMean("tree_reuse_fraction", of.kept_visits, of.kept_visits + of.new_visits, line);
  AddMean("prior_entropy_nats", of.prior_entropy_nats, of.policy_targets, line);
  AddMean("target_entropy_nats", of.target_entropy_nats, of.policy_targets, line);
  AddMean("search_kl_nats", of.search_kl_nats, of.policy_targets, line);
  AddMean("resign_error_fraction", of.resign_errors, of.resign_audited, line);
}

// What self-play proved and gave up, and how often it was wrong (0 for proofs).
void TrainingLoop::AddSelfPlayFaults(MetricsLine& line) const {
  const RunState& state = s_.dir.state();
  const WorkerCounts& of = state.totals.self_play;
  line.Add("proven_roots", static_cast<std::int64_t>(of.proven_roots))
      .Add("proven_errors", static_cast<std::int64_t>(of.proven_errors))
      .Add("failed_games", static_cast<std::int64_t>(of.failed_games))
      .Add("bad_rows", static_cast<std::int64_t>(of.bad_rows));
  if (s_.config.search.resign.threshold == 0.0f) return;
  line.Add("resign_audited", static_cast<std::int64_t>(of.resign_audited))
      .Add("resign_errors", static_cast<std::int64_t>(of.resign_errors))
      .Add("resign_threshold", state.resign.threshold)
      .Add("resign_on", std::int64_t{MayResign(state.resign) ? 1 : 0});
}

// What workers and server did for the iteration, its matches included.
void TrainingLoop::AddServerMetrics(MetricsLine& line) const {
  const FleetTotals& of = s_.dir.state().totals.all;
  line.Add("evaluations", static_cast<std::int64_t>(of.device_rows))
      .Add("simulations", static_cast<std::int64_t>(of.simulations));
  AddMean("mean_batch_rows", of.device_rows, of.batches, line);
  AddServing(of, line);
  line.Add("memory_bytes", s_.fleet.Totals().memory.count())
      .Add("memory_budget_bytes", plan().ram_budget.count())
      .Add("worker_restarts", static_cast<std::int64_t>(of.worker_restarts))
      .Add("device_restarts", static_cast<std::int64_t>(of.device_restarts));
}

}  // namespace az
