#pragma once
// Gate: decides after each game of a match whether the candidate replaces the best network. Pure.
// The match may stop once the games that are left cannot change the verdict, so stopping early
// never changes it.

#include <cstdint>

#include "engine/arena/match_score.h"
#include "engine/arena/sprt.h"

namespace az {

enum class GateVerdict : std::uint8_t { kUndecided, kPass, kFail };

struct GateRule {
  std::int64_t games = 100;  // games of the match
  double threshold = 0.55;   // the score that the candidate must reach
};

// Decides by score. `candidate`: the finished games in the candidate's view; `given_up`: games that
// count for nobody, because they ended without a result or replay an earlier pair. The verdict is
// kFail when no game counts. REQUIRES: no more games than the rule has.
GateVerdict DecideGate(const GateRule& rule, const MatchTally& candidate,
                       std::int64_t given_up = 0);

// Decides by a sequential test of the candidate's distinct pairs, counted in the order of their
// index (MatchCount); it may stop at any time. When all `games` are in without a verdict, the
// candidate passes if elo1 is the likelier of the two hypotheses.
GateVerdict DecideGate(const Sprt& sprt, std::int64_t games, const MatchScore& candidate);

}  // namespace az
