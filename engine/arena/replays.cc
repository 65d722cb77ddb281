#include "engine/arena/replays.h"

#include <utility>

#include "engine/arena/pairing.h"

namespace az {

PairNews ReplayWatch::NewsOf(const MatchGame& game) {
  if (replays_ == Replays::kCount || !game.outcome) return PairNews::kNew;
  const Played played{game.moves, *game.outcome};
  const auto [half, is_first] = halves_.try_emplace(PairOf(game.index), played);
  if (is_first) return PairNews::kNew;
  PlayedPair pair{half->second, played};
  if (game.index % 2 == 0) std::swap(pair[0], pair[1]);
  halves_.erase(half);
  return seen_.insert(pair).second ? PairNews::kNew : PairNews::kReplay;
}

}  // namespace az
