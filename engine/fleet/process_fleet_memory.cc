// What the Governor asks of the processes: their memory, caches back, another plan.

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "engine/fleet/device_plan.h"
#include "engine/fleet/process_fleet.h"

namespace az {
namespace {

// A training's own sizes come with its message; all else a device process learns at its start.
bool CanFollow(DevicePlanMessage running, const DevicePlanMessage& next) {
  running.micro_batch = next.micro_batch;
  running.checkpoint_blocks = next.checkpoint_blocks;
  return ToLine(running) == ToLine(next);
}

}  // namespace

RunProcesses ProcessFleet::Processes() const {
  RunProcesses processes{.supervisor = ::getpid(), .segment = seating_->bytes()};
  for (const int lane : supervisor_->lanes()) {
    const std::optional<pid_t> pid = supervisor_->pid(lane);
    if (!pid) continue;
    if (IsDevice(lane)) {
      processes.devices.push_back(*pid);
    } else {
      processes.workers.push_back({lane, *pid});
    }
  }
  return processes;
}

MemoryUse ProcessFleet::Memory() {
  MemoryUse use = monitor_.Look(Processes());
  use.layers = layers_;
  return use;
}

Bytes ProcessFleet::ProportionalMemory() { return az::ProportionalMemory(Processes()); }

// A process that is started again within a phase does not learn anew what its predecessor did.
DevicePlanMessage ProcessFleet::PlanFor(int device) const {
  DevicePlanMessage plan = DevicePlanOf(s_.plan, s_.config.engine, serving_);
  const auto lowered = in_force_.find(device);
  if (lowered != in_force_.end()) plan = Lowered(std::move(plan), lowered->second);
  plan.stats_interval_ms =
      std::clamp(static_cast<int>(1000.0f / s_.config.memory.sample_hz), 100, 1000);
  plan.other_networks = s_.other_networks;
  if (device != kDeviceLane) plan.runners = 1;  // the usual design: one model, one thread
  return plan;
}

void ProcessFleet::OnDeviceMemory(int lane, const ControlMessage& message) {
  if (const auto* oom = std::get_if<OomMessage>(&message)) {
    ooms_.push_back(*oom);
    if (!oom->rung.empty()) {
      SizesInForce planned = SizesOf(s_.plan);
      planned.largest_bucket = 0;  // the plan's, of whichever phase it serves
      Follow(*oom, in_force_.try_emplace(lane, planned).first->second);
    }
  }
  const auto* released = std::get_if<ReleasedMessage>(&message);
  // Answers come in the order of asking: the last one is of the last asked.
  if (released != nullptr && --releases_out_[lane] <= 0) released_[lane] = *released;
  if (lane != kDeviceLane) return;  // the layers are those of the process that also trains
  if (released != nullptr) layers_ = released->after;
  if (const auto* stats = std::get_if<DeviceStatsMessage>(&message)) layers_ = stats->memory;
}

void ProcessFleet::AskReleaseOf(int device, CleanupLevel level) {
  if (!ready_.contains(device)) return;  // a new process has nothing to give back
  ++releases_out_[device];
  Tell(device, ReleaseMessage{.phase = phases_, .level = level});
}

void ProcessFleet::AskRelease(CleanupLevel level) {
  for (const int device : seating_->devices()) AskReleaseOf(device, level);
}

Result<ReleasedMessage> ProcessFleet::Release(CleanupLevel level) {
  if (!s_.with_device) return ReleasedMessage{};
  released_.clear();
  release_asked_ = level;
  AskRelease(level);
  const std::vector<int>& devices = seating_->devices();
  const Result<void> waited = PumpUntil([&] { return released_.size() == devices.size(); });
  release_asked_.reset();
  AZ_RETURN_IF_ERROR(Ended(waited));
  ReleasedMessage sum = released_.at(kDeviceLane);
  for (const auto& [lane, released] : released_) {
    if (lane == kDeviceLane) continue;
    sum.freed_bytes += released.freed_bytes;
    sum.freed_device_bytes += released.freed_device_bytes;
  }
  return sum;
}

Result<void> ProcessFleet::Apply(const Plan& plan) {
  const bool can_follow = CanFollow(DevicePlanOf(s_.plan, s_.config.engine, serving_),
                                    DevicePlanOf(plan, s_.config.engine, serving_));
  const Bytes cache = s_.plan.cache;
  s_.plan = plan;
  // A server's ladder leads down alone: one that gave up batches never has them again as it runs.
  const auto gave_up_batches = [lowered = std::exchange(in_force_, {})](int device) {
    const auto found = lowered.find(device);
    return found != lowered.end() && found->second.largest_bucket > 0;
  };
  if (plan.cache != cache) AZ_RETURN_IF_ERROR(RestartWorkers());
  for (const int device : seating_->devices()) {
    // One without its weights asks for them again, whatever the plan says of it.
    if (!can_follow || gave_up_batches(device) || !HoldsItsSlots(device)) {
      AZ_RETURN_IF_ERROR(Restart(device));
    }
  }
  return {};
}

// For what a worker learns at its start: the size of its cache. A device of the plan before may run
// out of memory meanwhile, which must leave no worker stopped: its turn comes after.
Result<void> ProcessFleet::RestartWorkers() {
  awaits_loads_ = true;
  Result<void> restarted;
  for (const int lane : supervisor_->lanes()) {
    if (restarted && !IsDevice(lane)) restarted = Restart(lane);
  }
  awaits_loads_ = false;
  return restarted;
}

Result<void> ProcessFleet::Place(PlanPhase phase) {
  const bool can_serve = CanFollow(DevicePlanOf(s_.plan, s_.config.engine, serving_),
                                   DevicePlanOf(s_.plan, s_.config.engine, phase));
  serving_ = phase;
  if (can_serve || seating_->devices().empty()) return {};
  in_force_.erase(kDeviceLane);
  return Restart(kDeviceLane);
}

Result<void> ProcessFleet::Restart(int lane) {
  supervisor_->Stop(lane);
  if (!IsDevice(lane)) seating_->Notify(lane);
  AZ_RETURN_IF_ERROR(Ended(PumpUntil([&] {
    const std::vector<int> lanes = supervisor_->lanes();
    return std::ranges::find(lanes, lane) == lanes.end();
  })));
  AZ_RETURN_IF_ERROR(IsDevice(lane) ? supervisor_->StartDevice(lane)
                                    : supervisor_->StartWorker(lane));
  if (IsDevice(lane)) return AwaitLoads({lane});
  return Ended(PumpUntil([&] { return ready_.contains(lane); }));
}

}  // namespace az
