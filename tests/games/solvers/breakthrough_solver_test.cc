#include "games/solvers/breakthrough_solver.h"

#include <gtest/gtest.h>

#include "games/registry.h"
#include "tests/games/solvers/solver_checks.h"

namespace az {
namespace {

// Found by a plain implementation that agreed with OpenSpiel's rules.
TEST(BreakthroughSolver, ValuesOfWholeGames) {
  const struct {
    BreakthroughBoard board;
    int value;
  } kCases[] = {
      {{.rows = 4, .cols = 4, .piece_rows = 2}, -1},
      {{.rows = 5, .cols = 5, .piece_rows = 1}, +1},
  };
  for (const auto& test : kCases) {
    BreakthroughSolver solver(test.board, {.table = MiB(16)});
    EXPECT_EQ(*solver.Solve({}), test.value) << test.board.rows << "x" << test.board.cols;
  }
}

TEST(BreakthroughSolver, AgreesWithBruteForce) {
  BreakthroughSolver small({.rows = 4, .cols = 4, .piece_rows = 1}, {.table = MiB(4)});
  testing::ExpectSameAsBruteForce<Breakthrough<4, 4, 1>>(small, 300, 1);
  BreakthroughSolver on5({.rows = 5, .cols = 5, .piece_rows = 2}, {.table = MiB(4)});
  testing::ExpectSameAsBruteForce<Breakthrough<5, 5>>(on5, 100, 26);
}

TEST(BreakthroughSolver, AcceptsWhatTheGameAccepts) {
  BreakthroughSolver solver({.rows = 5, .cols = 5, .piece_rows = 2}, {.table = MiB(4)});
  testing::ExpectSameLegalActions<Breakthrough<5, 5>>(solver, 30, 10);
}

}  // namespace
}  // namespace az
