#pragma once
// The value of every first move of a solved game.

#include <vector>

#include "base/result.h"
#include "games/game_ops.h"
#include "games/solvers/solver.h"

namespace az {

struct OpeningValue {
  Action first{};
  int value = 0;  // the position's after it under best play, for the side to move then
};

// All first moves, by rising action. They are solved, except where that takes too long and the
// values are known: Connect Four (Allis 1988) and four in a row on 5x5 (a draw, found by LineSolver
// in a minute). Fails as the solver does.
Result<std::vector<OpeningValue>> OpeningValues(const GameOps& game, Solver& solver);

}  // namespace az
