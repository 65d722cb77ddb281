#pragma once
// A match in the words of az_train's output and state.

#include <string>

#include "base/strings.h"
#include "engine/arena/match_score.h"
#include "engine/loop/run_state.h"

namespace az {

inline MatchResult ToResult(const MatchScore& score, const std::string& opponent) {
  const MatchTally total = score.total();
  const ScoreEstimate estimate = score.Estimate();
  return {.opponent = opponent,
          .wins = total.wins,
          .draws = total.draws,
          .losses = total.losses,
          .score_low = estimate.score_interval.low,
          .score_high = estimate.score_interval.high};
}

// "+6 =0 -4, score 60.0 %".
inline std::string ResultText(const MatchResult& result) {
  return StrCat("+", result.wins, " =", result.draws, " -", result.losses, ", score ",
                Fixed(100.0 * result.score(), 1), " %");
}

}  // namespace az
