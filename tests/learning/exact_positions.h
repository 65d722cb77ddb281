#pragma once
// Every position of a small game with its value under best play: what a trained network is held to.

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "games/game_ops.h"
#include "games/solvers/solver.h"

namespace az {

struct ExactPosition {
  std::vector<Action> actions;  // from the game's start, one way of many
  std::uint64_t hash = 0;       // Position::Hash
  int value = 0;                // under best play, for the side to move
  std::vector<Action> legal;
  std::vector<Action> keeping;  // the moves that keep the value, rising
  bool can_err() const { return keeping.size() < legal.size(); }
};

// The running positions that can be reached, each once, by rising ply. Fails as the solver does.
Result<std::vector<ExactPosition>> SolveEverything(const GameOps& game, Solver& solver);

}  // namespace az
