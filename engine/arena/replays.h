#pragma once
// ReplayWatch: finds the pairs of a match that repeat earlier pairs. Players without randomness
// play the same games from the same opening, so such a pair is no evidence beyond the first of its
// kind, however often it is dealt. When a player's moves are random every pair is evidence,
// including the few that come out alike: leaving those out would favour the player whose wins are
// less often alike.

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "engine/arena/match_report.h"

namespace az {

enum class Replays : std::uint8_t {
  kCount,      // a player's moves are random: pairs are alike only by chance
  kCountOnce,  // neither player's moves are random
};

// Thread-compatible.
class ReplayWatch {
 public:
  explicit ReplayWatch(Replays replays) : replays_(replays) {}

  // Takes a game that counts. Returns kReplay when it completes a pair whose games are, move for
  // move and by their outcomes, those of a pair that was complete before. The order of the calls
  // decides which of several equal pairs is the new one, but not how many are new. REQUIRES: each
  // game is passed once.
  PairNews NewsOf(const MatchGame& game);

 private:
  using Played = std::tuple<std::uint64_t, Outcome>;  // the hash of the moves, and the outcome
  using PlayedPair = std::array<Played, 2>;           // the game with the even index first

  Replays replays_;
  std::map<std::uint32_t, Played> halves_;  // pair -> its first game to end
  std::set<PlayedPair> seen_;
};

}  // namespace az
