#pragma once
// Gate: whether a candidate replaces the best network, after each game of their match. Pure. The
// match may stop as soon as the games left cannot change the verdict, so stopping early never
// changes it.

#include <cstdint>

#include "engine/arena/match_score.h"
#include "engine/arena/sprt.h"

namespace az {

enum class GateVerdict : std::uint8_t { kUndecided, kPass, kFail };

struct GateRule {
  std::int64_t games = 100;  // of the match
  double threshold = 0.55;   // score the candidate must reach
};

// `candidate`: the finished games in the candidate's view; `given_up`: games that count for nobody,
// because they ended without a result or replay an earlier pair. kFail when no game counts.
// REQUIRES: no more games than the rule has.
GateVerdict DecideGate(const GateRule& rule, const MatchTally& candidate,
                       std::int64_t given_up = 0);

// The same by a sequential test of the candidate's distinct pairs, counted in the order of their index
// (MatchCount), which may stop at any time. A match whose
// `games` are all in without a verdict passes when elo1 is the likelier of the two.
GateVerdict DecideGate(const Sprt& sprt, std::int64_t games, const MatchScore& candidate);

}  // namespace az
