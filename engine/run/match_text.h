#pragma once
// A match in the words of az_train's output and state.

#include <string>

#include "base/strings.h"
#include "engine/arena/match_score.h"
#include "engine/run/run_state.h"

namespace az {

inline MatchResult ToResult(const MatchScore& score, const std::string& opponent) {
  const MatchTally total = score.total();
  const ScoreEstimate estimate = score.Estimate();
  return {.opponent = opponent,
          .wins = total.wins,
          .draws = total.draws,
          .losses = total.losses,
          .score_low = estimate.score_interval.low,
          .score_high = estimate.score_interval.high,
          .pairs_score = score.score(),
          .replayed_pairs = PairsIn(score.pairs()) - PairsIn(score.distinct_pairs())};
}

// "60.0 % without 3 pairs that repeat earlier ones".
inline std::string ScoreText(const MatchResult& result) {
  const std::string score = StrCat(Fixed(100.0 * result.score(), 1), " %");
  if (result.replayed_pairs == 0) return score;
  return StrCat(score, " without ", result.replayed_pairs,
                result.replayed_pairs == 1 ? " pair that repeats an earlier one"
                                           : " pairs that repeat earlier ones");
}

// "+6 =0 -4, score 60.0 %".
inline std::string ResultText(const MatchResult& result) {
  return StrCat("+", result.wins, " =", result.draws, " -", result.losses, ", score ",
                ScoreText(result));
}

}  // namespace az
