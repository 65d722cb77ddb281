#pragma once
// What every first move of a solved game is worth.

#include <vector>

#include "base/result.h"
#include "games/game_ops.h"
#include "games/solvers/solver.h"

namespace az {

struct OpeningValue {
  Action first{};
  int value = 0;  // after it, under best play, for the side to move then
};

// By rising action; solved, but for Connect Four (Allis 1988) and four in a row on 5x5 (a draw, by
// LineSolver in a minute), where that takes too long and they are known facts. Fails as the solver
// does.
Result<std::vector<OpeningValue>> OpeningValues(const GameOps& game, Solver& solver);

}  // namespace az
