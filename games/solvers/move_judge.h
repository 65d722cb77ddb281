#pragma once
// Judges every move of a position with an exact solver.

#include <memory>
#include <vector>

#include "base/result.h"
#include "games/game_ops.h"
#include "games/solvers/solver.h"

namespace az {

struct JudgedMoves {
  int value = 0;  // the position's under best play, for the side to move
  std::vector<Action> legal;
  std::vector<int> values;      // each move's, for the side that makes it
  std::vector<Action> keeping;  // the moves that keep `value`, rising
};

// Judges the moves of a running position that `actions` led to; leaves `actions` as it was. Fails
// as Solver::Solve does, naming the ply.
Result<JudgedMoves> JudgeMoves(const Position& position, std::vector<Action>& actions,
                               Solver& solver);

// The position after a legal action. REQUIRES: it is legal.
std::unique_ptr<Position> PositionAfter(const Position& position, Action action);

}  // namespace az
