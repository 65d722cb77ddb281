// Weights into the model slots of the devices, and out of them.

#include <algorithm>
#include <utility>

#include "engine/fleet/process_fleet.h"

namespace az {

Result<void> ProcessFleet::Load(int slot, const std::filesystem::path& checkpoint,
                                std::uint64_t version) {
  ModelSlot& model = slots_.at(static_cast<std::size_t>(slot));
  const ModelSlot before = model;
  model.load = LoadMessage{.slot = slot, .path = checkpoint.string(), .version = version};
  model.published.clear();
  const std::vector<int>& devices = seating_->devices();
  for (const int lane : devices) {
    if (ready_.contains(lane)) Tell(lane, *model.load);
  }
  const Result<void> loaded = AwaitLoads(devices);
  if (loaded || !refused_weights_) return loaded;
  // A device that is started again gets what was there; those that hold the new one keep it.
  const std::set<int> newer = std::exchange(model, before).published;
  for (const int lane : newer) model.published.erase(lane);
  return loaded;
}

void ProcessFleet::Unload(int slot) {
  slots_.at(static_cast<std::size_t>(slot)) = {};
  for (const int lane : seating_->devices()) {
    if (ready_.contains(lane)) Tell(lane, UnloadMessage{.slot = slot});
  }
}

// A process finds the slots as its predecessor had them, kLoading where they held weights, and
// blocks wait there for ever unless it is told that none come: an Unload may have met nobody.
void ProcessFleet::TellSlots(int device) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const ModelSlot& slot = slots_[i];
    if (!slot.load) {
      Tell(device, UnloadMessage{.slot = static_cast<int>(i)});
    } else if (!slot.published.contains(device)) {
      Tell(device, *slot.load);
    }
  }
}

void ProcessFleet::OnDeviceDied(const ChildDied& died) {
  refused_.erase(died.lane);
  for (ModelSlot& slot : slots_) slot.published.erase(died.lane);
  // It gave up all that it can by itself. A successor under the same plan would do the same; with
  // lanes of others nobody makes another plan, and what took the room may be gone.
  const bool had_no_room = died.fatal.code == Errc::kNoMemory && !s_.own_lanes;
  if (had_no_room && died.restarts) {
    lacked_room_ = NoRoomFor::kBatch;
    refused_.try_emplace(died.lane, died.fatal);
  } else if (died.lane == kDeviceLane) {
    OnTrainerDied(died);
  }
}

bool ProcessFleet::HoldsItsSlots(int device) const {
  return std::ranges::all_of(slots_, [device](const ModelSlot& slot) {
    return !slot.load || slot.published.contains(device);
  });
}

bool ProcessFleet::IsRefusedLoad(int lane) const { return IsDevice(lane) && !HoldsItsSlots(lane); }

bool ProcessFleet::LacksWeights() const {
  return !std::ranges::all_of(seating_->devices(),
                              [this](int lane) { return HoldsItsSlots(lane); });
}

Result<void> ProcessFleet::AwaitLoads(const std::vector<int>& devices) {
  const auto has_answered = [this](int lane) {
    return refused_.contains(lane) || (ready_.contains(lane) && HoldsItsSlots(lane));
  };
  awaits_loads_ = true;
  const Result<void> waited = PumpUntil([&] { return std::ranges::all_of(devices, has_answered); });
  awaits_loads_ = false;
  const std::map<int, Error> refused = std::exchange(refused_, {});
  AZ_RETURN_IF_ERROR(waited);
  refused_weights_ = !refused.empty();
  if (refused_weights_) return refused.begin()->second;
  return {};
}

}  // namespace az
