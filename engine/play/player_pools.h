#pragma once
// PlayerPools: the PoolSource of real players. Opens a player when a request first names it.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "engine/play/analysis_session.h"
#include "engine/play/open_player.h"

namespace az {

// Confined to the main thread.
class PlayerPools final : public PoolSource {
 public:
  // The most players that are open at a time, as each checkpoint has a device process of its own.
  static constexpr std::size_t kMostOpen = 4;

  // `defaults` fill in what a request leaves out. REQUIRES: environment.time is kNone.
  PlayerPools(PlayerRequest defaults, PlayEnvironment environment);

  Result<OpenPool> PoolFor(const AnalysisRequest& request) override;
  std::vector<PositionPool*> Pools() override;

  // Looks after the processes of all players; must be called a few times a second. Fails with
  // kStopped after a signal.
  Result<void> Idle();

 private:
  struct Open {
    std::string key;  // player and game
    const GameOps* game = nullptr;
    int simulations = 1;
    OpenedPool opened;
    std::uint64_t used = 0;
  };
  Result<Open*> Find(const PlayerRequest& wanted);
  Result<void> MakeRoom();

  PlayerRequest defaults_;
  PlayEnvironment environment_;
  std::vector<std::unique_ptr<Open>> open_;
  std::map<std::string, Open*> known_;  // keyed by the texts of a request
  std::uint64_t uses_ = 0;
  const SteadyClock clock_;
  TimePoint looked_at_{};
};

}  // namespace az
