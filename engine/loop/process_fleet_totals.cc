// What the fleet has done and takes: sums over its processes.

#include <unistd.h>

#include <chrono>
#include <vector>

#include "engine/loop/process_fleet.h"
#include "engine/process/proc_memory.h"

namespace az {
namespace {

// Sum of what processes did; memory and CPU time are of the living alone.
void Accumulate(WorkerStatsMessage& sum, const WorkerStatsMessage& part) {
  sum.simulations += part.simulations;
  sum.rows += part.rows;
  sum.cache_hits += part.cache_hits;
  sum.cache_lookups += part.cache_lookups;
  sum.moves += part.moves;
  sum.searched_moves += part.searched_moves;
  sum.games_finished += part.games_finished;
  sum.proven_roots += part.proven_roots;
  sum.failed_games += part.failed_games;
  sum.bad_rows += part.bad_rows;
  sum.resign_audited += part.resign_audited;
  sum.resign_errors += part.resign_errors;
  sum.proven_errors += part.proven_errors;
  sum.kept_visits += part.kept_visits;
  sum.new_visits += part.new_visits;
  sum.policy_targets += part.policy_targets;
  sum.prior_entropy_nats += part.prior_entropy_nats;
  sum.target_entropy_nats += part.target_entropy_nats;
  sum.search_kl_nats += part.search_kl_nats;
}

}  // namespace

void ProcessFleet::KeepStatsOfDead(int lane) {
  Accumulate(dead_stats_, worker_stats_[lane]);
  worker_stats_.erase(lane);
}

std::vector<pid_t> ProcessFleet::Pids() const {
  std::vector<pid_t> pids = {::getpid()};
  for (const int lane : supervisor_->lanes()) {
    if (const std::optional<pid_t> pid = supervisor_->pid(lane)) pids.push_back(*pid);
  }
  return pids;
}

std::vector<pid_t> ProcessFleet::DevicePids() const {
  std::vector<pid_t> pids;
  for (const int lane : seating_->devices()) {
    if (const std::optional<pid_t> pid = supervisor_->pid(lane)) pids.push_back(*pid);
  }
  return pids;
}

void ProcessFleet::CountMemory() const {
  const TimePoint now = s_.clock.Now();
  if (memory_at_ != TimePoint{} && now - memory_at_ < std::chrono::seconds(1)) return;
  memory_at_ = now;
  Bytes sum = seating_->bytes();
  for (const pid_t pid : Pids()) {
    if (const Result<ProcMemory> memory = ReadProcMemory(pid)) sum += memory->anonymous;
  }
  memory_ = sum;
}

FleetTotals ProcessFleet::Totals() const {
  FleetTotals totals;
  WorkerStatsMessage workers = dead_stats_;
  for (const auto& [lane, stats] : worker_stats_) Accumulate(workers, stats);
  totals.rows = workers.rows;
  totals.simulations = workers.simulations;
  totals.cache_hits = workers.cache_hits;
  totals.cache_lookups = workers.cache_lookups;
  totals.moves = workers.moves;
  totals.searched_moves = workers.searched_moves;
  totals.games = workers.games_finished;
  totals.proven_roots = workers.proven_roots;
  totals.failed_games = workers.failed_games;
  totals.bad_rows = workers.bad_rows;
  totals.resign_audited = workers.resign_audited;
  totals.resign_errors = workers.resign_errors;
  totals.proven_errors = workers.proven_errors;
  totals.kept_visits = workers.kept_visits;
  totals.new_visits = workers.new_visits;
  totals.policy_targets = workers.policy_targets;
  totals.prior_entropy_nats = workers.prior_entropy_nats;
  totals.target_entropy_nats = workers.target_entropy_nats;
  totals.search_kl_nats = workers.search_kl_nats;
  totals.device_rows = seating_->Sum(ServerCounter::kRows);
  totals.batches = seating_->Sum(ServerCounter::kBatches);
  totals.runner_busy_s = static_cast<double>(seating_->Sum(ServerCounter::kBusyNs)) * 1e-9;
  totals.worker_restarts = static_cast<std::uint64_t>(supervisor_->counters().worker_restarts);
  totals.device_restarts = static_cast<std::uint64_t>(supervisor_->counters().device_restarts);
  CountMemory();
  totals.memory = memory_;
  return totals;
}

}  // namespace az
