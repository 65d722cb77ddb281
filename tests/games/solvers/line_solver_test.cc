#include "games/solvers/line_solver.h"

#include <gtest/gtest.h>

#include "games/registry.h"
#include "tests/games/solvers/solver_checks.h"

namespace az {
namespace {

TEST(LineSolver, ValuesOfWholeGames) {
  const struct {
    LineGame game;
    int value;
  } kCases[] = {
      {{.cols = 3, .rows = 3, .length = 3}, 0}, {{.cols = 4, .rows = 3, .length = 3}, 1},
      {{.cols = 4, .rows = 4, .length = 3}, 1}, {{.cols = 4, .rows = 4, .length = 4}, 0},
      {{.cols = 5, .rows = 3, .length = 3}, 1}, {{.cols = 5, .rows = 4, .length = 4}, 0},
      {{.cols = 2, .rows = 2, .length = 2}, 1}, {{.cols = 1, .rows = 3, .length = 2}, 1},
  };
  for (const auto& test : kCases) {
    LineSolver solver(test.game, {.table = MiB(16)});
    EXPECT_EQ(*solver.Solve({}), test.value)
        << test.game.cols << "x" << test.game.rows << ", " << test.game.length << " in a row";
  }
}

TEST(LineSolver, AgreesWithBruteForceOnEveryTicTacToeGame) {
  LineSolver solver({}, {.table = MiB(1)});
  testing::ExpectSameAsBruteForce<TicTacToe>(solver, 3000, 1);
  testing::ExpectSameLegalActions<TicTacToe>(solver, 300, 1);
}

TEST(LineSolver, AgreesWithBruteForceLateOnLargerBoards) {
  LineSolver oblong({.cols = 5, .rows = 3, .length = 3}, {.table = MiB(1)});
  testing::ExpectSameAsBruteForce<Mnk<5, 3, 3>>(oblong, 200, 5);
  LineSolver on5({.cols = 5, .rows = 5, .length = 4}, {.table = MiB(4)});
  testing::ExpectSameAsBruteForce<Mnk<5, 5, 4>>(on5, 100, 14);
  testing::ExpectSameLegalActions<Mnk<5, 5, 4>>(on5, 20, 12);
}

}  // namespace
}  // namespace az
