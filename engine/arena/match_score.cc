#include "engine/arena/match_score.h"

#include "engine/arena/pairing.h"

namespace az {
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
