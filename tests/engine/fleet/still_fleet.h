#pragma once
// StillFleet: a Fleet without processes, in which nothing happens. Fakes override what they need.

#include <string>
#include <vector>

#include "engine/fleet/fleet.h"

namespace az {

class StillFleet : public Fleet {
 public:
  FleetTotals totals;

  Result<void> Play(const GamePhaseSpec&) override { return {}; }
  Result<void> Load(int, const std::filesystem::path&, std::uint64_t) override { return {}; }
  void Unload(int) override {}
  Result<TrainedMessage> Train(const TrainMessage& message,
                               const std::function<void(const TrainProgressMessage&)>&) override {
    return TrainedMessage{message.iteration, message.to, "{}"};
  }
  Result<ReleasedMessage> Release(CleanupLevel) override { return ReleasedMessage{}; }
  void AskRelease(CleanupLevel) override {}
  MemoryUse Memory() override { return {}; }
  Bytes ProportionalMemory() override { return {}; }
  std::vector<OomMessage> TakeOoms() override { return {}; }
  Result<void> Apply(const Plan&) override { return {}; }
  Result<void> Restart(int) override { return {}; }
  std::vector<LaneBytes> JournalBytes() const override { return {{"lane_000.journal", 96}}; }
  Result<std::vector<LaneBytes>> SyncedJournalBytes() override { return JournalBytes(); }
  FleetTotals Totals() const override { return totals; }
  std::string DeviceText() const override { return "fake"; }
};

}  // namespace az
