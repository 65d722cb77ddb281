#pragma once
// What a training is fed with, as numbers for metrics.jsonl: how old the window is, and how much of
// what self-play made is new. Pure functions over settled stores.

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "engine/data/position_store.h"
#include "games/game_ops.h"

namespace az {

// Over the positions of a window. A game counts with the newest weights that searched it.
struct WindowAge {
  double lag_mean_versions = 0;  // behind the newest weights in the window
  double lag_p95_versions = 0;   // 95 % of the positions lag by at most this
  double mean_iterations = 0;    // before the iteration that is trained
  double p95_iterations = 0;
};
// All 0 for an empty store. REQUIRES: settled; games of iterations up to `iteration`.
WindowAge AgeOf(const PositionStore& store, std::uint32_t iteration);

struct PositionCensus {
  std::int64_t positions = 0;
  std::int64_t distinct = 0;  // by Position::Hash; symmetric images are different positions
  double duplicate_fraction() const {
    return positions == 0 ? 0.0
                          : 1.0 - static_cast<double>(distinct) / static_cast<double>(positions);
  }
};
// Counts the positions to train on of an iteration's games, whole games from the first one on until
// kCensusPositions are reached. kCorrupt: a game does not replay.
inline constexpr std::int64_t kCensusPositions = 32'768;
Result<PositionCensus> CountPositions(const GameOps& game, const PositionStore& store,
                                      std::uint32_t iteration);

// What the network was asked at roots, and what it said.
struct ServedRoots {
  std::vector<Sample> samples;
  std::vector<float> values;  // of the raw network, in the view of the side to move
};
// At most `most` positions of an iteration's games, drawn evenly among the searched and unproven
// ones; of those alone that the newest weights of the iteration's games searched, since a game that
// was begun in advance began with older ones. May be empty. REQUIRES: settled.
ServedRoots DrawServedRoots(const PositionStore& store, std::uint32_t iteration, int most,
                            Rng& rng);

}  // namespace az
