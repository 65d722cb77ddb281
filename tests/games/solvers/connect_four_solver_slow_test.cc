// The known win of Connect Four (Allis 1988): the first player keeps to the centre column. Solved
// six plies deep for every reply, about a minute on one core. From the empty board half an hour is
// not enough.

#include <gtest/gtest.h>

#include "games/solvers/connect_four_solver.h"
#include "tests/games/solvers/solver_checks.h"

namespace az {
namespace {

TEST(ConnectFourSolverSlow, FiveCentreDiscsKeepTheFirstPlayersWin) {
  ConnectFourSolver solver({.table = MiB(256), .max_positions = 2'000'000'000});
  for (int col = 0; col <= 3; ++col) {  // the others are mirror images
    const Result<int> value = solver.Solve(testing::Actions({3, 3, 3, 3, 3, col}));
    ASSERT_TRUE(value) << value.error().message;
    EXPECT_EQ(*value, 1) << "reply in column " << col + 1;
  }
}

}  // namespace
}  // namespace az
