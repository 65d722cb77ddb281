#pragma once
// Thinkers that evaluate nothing: random moves, exact solvers, and tree search with random games
// instead of a network.

#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "engine/play/thinker.h"
#include "engine/worker/phase_player.h"
#include "games/game_ops.h"

namespace az {

// All legal moves alike; the draw depends on seed and ply.
std::unique_ptr<Thinker> MakeRandomThinker(const GameOps& game, std::uint64_t seed);

// Solves every move of the position: takes the first of the best. The best
// have one visit each, the others none. Think fails with kTimeout where `most_positions` for all
// moves together are not enough, unless they found a move that wins; the last move may look at so
// many once more. kNotFound: the game has no solver; those that have one are listed.
Result<std::unique_ptr<Thinker>> MakeSolverThinker(const GameOps& game,
                                                   std::uint64_t most_positions = kSolverPositions);

struct RolloutPlayer {
  int simulations = 1000;  // a move
  std::uint64_t seed = 0;
};
// UCT with random games (mcts/rollout_player.h). REQUIRES: 0 < simulations <= kMostSimulations. The
// clock outlives it.
std::unique_ptr<Thinker> MakeRolloutThinker(const GameOps& game, const RolloutPlayer& player,
                                            const Clock& clock);

}  // namespace az
