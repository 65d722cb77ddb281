// What the fleet has done and takes: sums over its processes.

#include <unistd.h>

#include <chrono>
#include <vector>

#include "engine/fleet/process_fleet.h"
#include "engine/process/proc_memory.h"

namespace az {

void ProcessFleet::KeepStatsOfDead(int lane) {
  dead_counts_ += worker_stats_[lane];  // its memory is gone with it
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
  totals += dead_counts_;
  for (const auto& [lane, stats] : worker_stats_) totals += stats;
  totals += seating_->Serving();
  totals.worker_restarts = static_cast<std::uint64_t>(supervisor_->counters().worker_restarts);
  totals.device_restarts = static_cast<std::uint64_t>(supervisor_->counters().device_restarts);
  CountMemory();
  totals.memory = memory_;
  return totals;
}

}  // namespace az
