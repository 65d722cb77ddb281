#include "engine/arena/match_score.h"

#include "engine/arena/pairing.h"

namespace az {
namespace {

// `value`: 1 won, 0 drawn, -1 lost.
void Count(int value, MatchTally& tally) {
  ++(value > 0 ? tally.wins : value < 0 ? tally.losses : tally.draws);
}

}  // namespace

void MatchScore::Add(std::uint32_t game_index, std::optional<Outcome> outcome, PairNews news) {
  if (!outcome.has_value()) {
    ++given_up_;
    return;
  }
  const int value = ValueForPlayer0(game_index, *outcome);
  Count(value, by_colour_[static_cast<std::size_t>(FirstToMove(game_index))]);
  const auto [half, is_first] = half_pairs_.try_emplace(PairOf(game_index), value + 1);
  if (is_first) return;
  const auto half_points = static_cast<std::size_t>(half->second + value + 1);
  ++pairs_[half_points];
  if (news == PairNews::kNew) {
    ++distinct_pairs_[half_points];
  } else {
    Count(half->second - 1, replayed_);
    Count(value, replayed_);
  }
  half_pairs_.erase(half);
}

MatchTally MatchScore::distinct_total() const {
  const MatchTally all = total();
  return {.wins = all.wins - replayed_.wins,
          .draws = all.draws - replayed_.draws,
          .losses = all.losses - replayed_.losses};
}

MatchTally MatchScore::total() const {
  const auto& [first, second] = by_colour_;
  return {.wins = first.wins + second.wins,
          .draws = first.draws + second.draws,
          .losses = first.losses + second.losses};
}

}  // namespace az
