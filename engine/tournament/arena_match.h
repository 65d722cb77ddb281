#pragma once
// ArenaMatch: one match of a tournament on a fleet: the players' networks into the model slots, the
// games, and the score on the display meanwhile.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/fleet/fleet.h"
#include "engine/fleet/match_run.h"
#include "engine/memory/governor.h"
#include "engine/run/progress.h"
#include "engine/run/rate_meter.h"
#include "engine/tournament/arena_setup.h"

namespace az {

// As the workers are told of them.
std::array<PlayerMessage, 2> PlayersOf(const ArenaSetup& setup, const Meet& meet);

// Confined to the supervisor's main thread.
class ArenaMatch {
 public:
  struct Options {
    const ArenaSetup& setup;   // these outlive it
    std::uint32_t number = 0;  // of the match; names its games
    std::size_t count = 1;     // matches of the tournament
    Fleet& fleet;
    Governor& governor;
    Display& display;
    const Clock& clock;
  };
  explicit ArenaMatch(const Options& options) : o_(options) {}

  // Plays the games that the journals lack. `match` gets the report of all, and the verdict of the
  // test if that ended it. Fails as RunMatch and Fleet::Load.
  Result<void> Play(PlayedMatch& match);
  // For the fleet's ticks: draws the display.
  void Show();

 private:
  Result<void> LoadPlayers(const Meet& meet);

  Options o_;
  std::string names_;   // "A against B"
  MatchReport report_;  // of the games that count
  std::int64_t ended_ = 0;
  std::int64_t games_ = 0;
  std::int64_t played_ = 0;  // in this start
  TimePoint started_{};      // epoch: not yet
  RateMeter meter_;
};

}  // namespace az
