#include "engine/arena/match_score.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/arena/pairing.h"

namespace az {
namespace {

constexpr double kZ95 = 1.959963984540054;

}  // namespace

double EloOfScore(double score) {
  if (score <= 0) return -std::numeric_limits<double>::infinity();
  if (score >= 1) return std::numeric_limits<double>::infinity();
  return -400.0 * std::log10(1.0 / score - 1.0);
}

ScoreEstimate EstimateFromPairs(const std::array<std::int64_t, 5>& pairs) {
  double count = 0;
  double sum = 0;
  double sum_squares = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto n = static_cast<double>(pairs[i]);
    const double score = static_cast<double>(i) / 4;
    count += n;
    sum += n * score;
    sum_squares += n * score * score;
  }
  ScoreEstimate estimate;
  if (count > 0) {
    estimate.score = sum / count;
    const double variance = sum_squares / count - estimate.score * estimate.score;
    if (variance > 1e-12) {
      const double margin = kZ95 * std::sqrt(variance / count);
      estimate.score_interval = {std::max(0.0, estimate.score - margin),
                                 std::min(1.0, estimate.score + margin)};
    } else {
      estimate.score_interval = WilsonInterval(sum, count, kZ95);
    }
  }
  estimate.elo = EloOfScore(estimate.score);
  estimate.elo_interval = {EloOfScore(estimate.score_interval.low),
                           EloOfScore(estimate.score_interval.high)};
  return estimate;
}

void MatchScore::Add(std::uint32_t game_index, std::optional<Outcome> outcome) {
  if (!outcome.has_value()) {
    ++given_up_;
    return;
  }
  const int value = ValueForPlayer0(game_index, *outcome);
  MatchTally& tally = by_colour_[static_cast<std::size_t>(FirstToMove(game_index))];
  if (value > 0) {
    ++tally.wins;
  } else if (value < 0) {
    ++tally.losses;
  } else {
    ++tally.draws;
  }
  const auto [half, is_first] = half_pairs_.try_emplace(PairOf(game_index), value + 1);
  if (is_first) return;
  ++pairs_[static_cast<std::size_t>(half->second + value + 1)];
  half_pairs_.erase(half);
}

MatchTally MatchScore::total() const {
  const auto& [first, second] = by_colour_;
  return {.wins = first.wins + second.wins,
          .draws = first.draws + second.draws,
          .losses = first.losses + second.losses};
}

}  // namespace az
