#pragma once
// Thinkers without a network: random moves, exact solvers, and tree search with random games.

#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "engine/play/thinker.h"
#include "engine/worker/phase_player.h"
#include "games/game_ops.h"

namespace az {

// Plays any legal move with equal probability; the draw depends on seed and ply.
std::unique_ptr<Thinker> MakeRandomThinker(const GameOps& game, std::uint64_t seed);

// Solves every move of the position and plays the first of the best ones. The best moves have one
// visit each, the others none. Think fails with kTimeout when `most_positions` positions for all
// moves together are not enough, unless a winning move was found; the last move may look at as many
// again. Fails with kNotFound when the game has no solver, listing the games that have one.
Result<std::unique_ptr<Thinker>> MakeSolverThinker(const GameOps& game,
                                                   std::uint64_t most_positions = kSolverPositions);

struct RolloutPlayer {
  int simulations = 1000;  // per move
  std::uint64_t seed = 0;
};
// Plays by UCT with random games (mcts/rollout_player.h). The clock outlives the thinker. REQUIRES:
// 0 < simulations <= kMostSimulations.
std::unique_ptr<Thinker> MakeRolloutThinker(const GameOps& game, const RolloutPlayer& player,
                                            const Clock& clock);

}  // namespace az
