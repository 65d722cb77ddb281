#pragma once
// ArenaMatch: one match of a tournament on a fleet. It loads the players' networks into the model
// slots, has the games played, and shows the score on the display meanwhile.

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

// The two players of a match, as messages to the workers name them.
std::array<PlayerMessage, 2> PlayersOf(const ArenaSetup& setup, const Meet& meet);

// Confined to the supervisor's main thread.
class ArenaMatch {
 public:
  struct Options {
    const ArenaSetup& setup;   // outlives the match, like the other references
    std::uint32_t number = 0;  // the match's number, which names its games
    std::size_t count = 1;     // the number of matches in the tournament
    Fleet& fleet;
    Governor& governor;
    Display& display;
    const Clock& clock;
  };
  explicit ArenaMatch(const Options& options) : o_(options) {}

  // Plays the games that the journals lack. `match` gets the report of all games, and the test's
  // verdict if the test ended the match. Fails as RunMatch and Fleet::Load do.
  Result<void> Play(PlayedMatch& match);
  // Draws the display; called at the fleet's ticks.
  void Show();

 private:
  Result<void> LoadPlayers(const Meet& meet);

  Options o_;
  std::string names_;   // "A against B"
  MatchReport report_;  // the games that count
  std::int64_t ended_ = 0;
  std::int64_t games_ = 0;
  std::int64_t played_ = 0;  // games played since this start
  TimePoint started_{};      // the epoch: not started yet
  RateMeter meter_;
};

}  // namespace az
