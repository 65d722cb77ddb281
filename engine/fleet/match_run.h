#pragma once
// One match of two players on a fleet: colour-swapped pairs of games, stopped early when a rule
// says so. The gate, the final matches and az_arena play theirs through here. The journals hold the
// games, so a match that was cut off goes on with those that are missing.

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "engine/arena/match_count.h"
#include "engine/fleet/fleet.h"

namespace az {

struct MatchSpec {
  GameKind kind = GameKind::kMatch;
  std::uint32_t match = 0;  // names its games, with the kind
  std::uint32_t games = 0;  // even: whole pairs
  int workers = 1;
  std::array<PlayerMessage, 2> players;
  // First actions of both games of a pair; may be empty.
  std::function<std::vector<Action>(std::uint32_t pair)> opening;
  // Which games count: kByPair for a match that may end early.
  CountOrder order = CountOrder::kAsTheyEnd;
  // Asked of the games that count so far: true ends the match. May be empty.
  MatchCount::Decided is_decided;
  // After each game, for whoever shows the match. May be empty.
  std::function<void(const MatchCount&)> on_game;
};

struct MatchEnd {
  MatchReport report;          // of the games that count
  std::int64_t uncounted = 0;  // others that have ended
  bool was_decided = false;    // is_decided said so, perhaps with the last game
};

MatchGame ToMatchGame(const FinishedGame& game);
// kCountOnce where neither player draws its moves.
Replays ReplaysOf(const std::array<PlayerMessage, 2>& players);

// Plays what the journals do not hold yet. Model slots are loaded by the caller. Fails: as
// Fleet::Play; kNotFinite or kIo when too many games ended without a result.
Result<MatchEnd> RunMatch(Fleet& fleet, const MatchSpec& spec);

}  // namespace az
