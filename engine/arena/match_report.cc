#include "engine/arena/match_report.h"

#include "engine/arena/pairing.h"

namespace az {

void MatchReport::Add(const MatchGame& game, PairNews news) {
  score_.Add(game.index, game.outcome, news);
  plies_ += game.plies;
  if (!game.outcome) return;
  if (IsForfeit(game.reason)) {
    ++forfeits_[ValueForPlayer0(game.index, *game.outcome) < 0 ? 0 : 1][game.reason];
  }
  if (!game.first) return;
  MatchTally& tally = first_moves_[*game.first];
  switch (*game.outcome) {
    case Outcome::kFirstWins:
      ++tally.wins;
      break;
    case Outcome::kDraw:
      ++tally.draws;
      break;
    case Outcome::kSecondWins:
      ++tally.losses;
      break;
  }
}

std::int64_t MatchReport::forfeits_of(int player) const {
  std::int64_t sum = 0;
  for (const auto& [reason, games] : forfeit_reasons(player)) sum += games;
  return sum;
}

double MatchReport::mean_plies() const {
  return finished() == 0 ? 0.0 : static_cast<double>(plies_) / static_cast<double>(finished());
}

}  // namespace az
