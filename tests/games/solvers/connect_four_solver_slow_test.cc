// The published values of Connect Four's openings (Allis 1988, Tromp): the first player wins by the
// centre column alone, draws next to it and loses elsewhere.

#include <gtest/gtest.h>

#include <array>

#include "games/solvers/connect_four_solver.h"
#include "tests/games/solvers/solver_checks.h"

namespace az {
namespace {

TEST(ConnectFourSolverSlow, OpeningsHaveTheirPublishedValues) {
  ConnectFourSolver solver({.table = MiB(256), .max_positions = 20'000'000'000});
  constexpr std::array<int, 7> kForFirst = {-1, -1, 0, 1, 0, -1, -1};
  for (int col = 3; col < 7; ++col) {  // the others are mirror images
    EXPECT_EQ(-*solver.Solve(testing::Actions({col})), kForFirst[static_cast<std::size_t>(col)])
        << "column " << col + 1;
  }
}

}  // namespace
}  // namespace az
