#pragma once
// ReplayWatch: which pairs of a match are earlier pairs over again. Players that draw nothing play
// the same games from the same opening, so such a pair is no evidence beyond the first of its kind,
// however often it is dealt. Of players that draw every pair is evidence, the few that come out
// alike included: leaving those out would favour whoever's wins come out alike more rarely.

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "engine/arena/match_report.h"

namespace az {

enum class Replays : std::uint8_t {
  kCount,      // a player draws: pairs that are alike are so by chance
  kCountOnce,  // nobody draws
};

// Thread-compatible.
class ReplayWatch {
 public:
  explicit ReplayWatch(Replays replays) : replays_(replays) {}

  // Of a game that counts: kReplay where it completes a pair of which both games are, move for move
  // and by their outcomes, those of one that was complete before. Which of several equal pairs is
  // the new one follows from the order of the calls; how many are new does not. REQUIRES: once a
  // game.
  PairNews NewsOf(const MatchGame& game);

 private:
  using Played = std::tuple<std::uint64_t, Outcome>;  // moves
  using PlayedPair = std::array<Played, 2>;           // the game of even index first

  Replays replays_;
  std::map<std::uint32_t, Played> halves_;  // by pair: its first game to end
  std::set<PlayedPair> seen_;
};

}  // namespace az
