// The line of metrics.jsonl that an iteration leaves.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/loop/training_loop.h"

namespace az {

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
  AZ_RETURN_IF_ERROR(s_.metrics.Append(line));
  facts_ = IterationFacts{.before = s_.fleet.Totals()};
  return {};
}

MetricsLine TrainingLoop::SelfPlayMetrics() const {
  MetricsLine line;
  line.Add("self_play_s", facts_.seconds);
  if (facts_.games == 0) return line;  // an earlier start of this run played them
  const auto games = static_cast<double>(facts_.games);
  line.Add("games", static_cast<std::int64_t>(facts_.games))
      .Add("plies", static_cast<std::int64_t>(facts_.plies))
      .Add("policy_samples", static_cast<std::int64_t>(facts_.policy_samples))
      .Add("games_per_s", static_cast<double>(facts_.played) / std::max(1e-9, facts_.seconds))
      .Add("mean_plies", static_cast<double>(facts_.plies) / games)
      .Add("first_player_win_fraction", static_cast<double>(facts_.first_wins) / games)
      .Add("draw_fraction", static_cast<double>(facts_.draws) / games);
  AddSelfPlaySearch(line);
  AddSelfPlayFaults(line);
  return line;
}

// What self-play's searches added to the network's policy, and what they cost (docs/learning.md).
void TrainingLoop::AddSelfPlaySearch(MetricsLine& line) const {
  const auto of = [this](auto WorkerCounts::*count) {
    return static_cast<double>(facts_.after.*count - facts_.before.*count);
  };
  const auto add_mean = [&](std::string_view key, double sum, double count) {
    if (count > 0) line.Add(key, sum / count);
  };
  const double moves = of(&WorkerCounts::searched_moves);  // random and forced ones cost nothing
  const double targets = of(&WorkerCounts::policy_targets);
  add_mean("rows_per_move", of(&WorkerCounts::rows), moves);
  add_mean("cache_hit_fraction", of(&WorkerCounts::cache_hits), of(&WorkerCounts::cache_lookups));
  add_mean("simulations_per_move", of(&WorkerCounts::simulations), moves);
  add_mean("proven_root_fraction", of(&WorkerCounts::proven_roots), moves);
  add_mean("tree_reuse_fraction", of(&WorkerCounts::kept_visits),
           of(&WorkerCounts::kept_visits) + of(&WorkerCounts::new_visits));
  add_mean("prior_entropy_nats", of(&WorkerCounts::prior_entropy_nats), targets);
  add_mean("target_entropy_nats", of(&WorkerCounts::target_entropy_nats), targets);
  add_mean("search_kl_nats", of(&WorkerCounts::search_kl_nats), targets);
  add_mean("resign_error_fraction", of(&WorkerCounts::resign_errors),
           of(&WorkerCounts::resign_audited));
}

// What self-play proved and gave up, and how often it was wrong (0 for proofs).
void TrainingLoop::AddSelfPlayFaults(MetricsLine& line) const {
  const auto add = [&](std::string_view key, std::uint64_t WorkerCounts::*count) {
    line.Add(key, static_cast<std::int64_t>(facts_.after.*count - facts_.before.*count));
  };
  add("proven_roots", &WorkerCounts::proven_roots);
  add("proven_errors", &WorkerCounts::proven_errors);
  add("failed_games", &WorkerCounts::failed_games);
  add("bad_rows", &WorkerCounts::bad_rows);
  if (s_.config.search.resign.threshold == 0.0f) return;
  add("resign_audited", &WorkerCounts::resign_audited);
  add("resign_errors", &WorkerCounts::resign_errors);
  line.Add("resign_threshold", s_.dir.state().resign.threshold)
      .Add("resign_on", std::int64_t{MayResign(s_.dir.state().resign) ? 1 : 0});
}

// What workers and server did since the iteration, or this start of the run, began; the arena
// included.
void TrainingLoop::AddServerMetrics(MetricsLine& line) const {
  const FleetTotals now = s_.fleet.Totals();
  const FleetTotals& before = facts_.before;
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  const std::uint64_t evaluations = now.device_rows - before.device_rows;
  line.Add("evaluations", static_cast<std::int64_t>(evaluations))
      .Add("simulations", static_cast<std::int64_t>(now.simulations - before.simulations))
      .Add("mean_batch_rows", share(evaluations, now.batches - before.batches))
      .Add("runner_busy_s", now.runner_busy_s - before.runner_busy_s)
      .Add("memory_bytes", now.memory.count())
      .Add("memory_budget_bytes", plan().ram_budget.count())
      .Add("worker_restarts",
           static_cast<std::int64_t>(now.worker_restarts - before.worker_restarts))
      .Add("device_restarts",
           static_cast<std::int64_t>(now.device_restarts - before.device_restarts));
}

}  // namespace az
