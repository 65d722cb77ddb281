// Breakthrough 5x5 from its start: a few million positions.

#include <gtest/gtest.h>

#include "games/solvers/breakthrough_solver.h"

namespace az {
namespace {

TEST(BreakthroughSolverSlow, TheSecondPlayerWins5x5) {
  BreakthroughSolver solver({.rows = 5, .cols = 5, .piece_rows = 2}, {.table = MiB(256)});
  EXPECT_EQ(*solver.Solve({}), -1);
}

}  // namespace
}  // namespace az
