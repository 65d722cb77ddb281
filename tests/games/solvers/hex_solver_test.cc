#include "games/solvers/hex_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "games/registry.h"
#include "tests/games/solvers/solver_checks.h"

namespace az {
namespace {

std::vector<int> WinningOpenings(int size) {
  HexSolver solver(size, {.table = MiB(16)});
  std::vector<int> winning;
  for (int cell = 0; cell < size * size; ++cell) {
    if (*solver.Solve(testing::Actions({cell})) < 0) winning.push_back(cell);
  }
  return winning;
}

TEST(HexSolver, WinningOpenings) {
  EXPECT_EQ(WinningOpenings(2), (std::vector<int>{1, 2}));
  EXPECT_EQ(WinningOpenings(3), (std::vector<int>{2, 3, 4, 5, 6}));
  EXPECT_EQ(WinningOpenings(4), (std::vector<int>{3, 6, 9, 12}));
}

TEST(HexSolver, AllOpeningsOf5x5) {
  const std::vector<int> winning = WinningOpenings(5);
  EXPECT_FALSE(winning.empty()) << "the first player wins by strategy stealing";
  for (const int cell : winning) {
    EXPECT_NE(std::ranges::find(winning, 24 - cell), winning.end()) << "half a turn of " << cell;
  }
  // A lost opening has a reply that wins, a won one has none. The other half is its half turn.
  HexSolver solver(5, {.table = MiB(16)});
  for (int cell = 0; cell <= 12; ++cell) {
    int best = -1;
    Hex<5> state;
    state.Apply(static_cast<Action>(cell));
    state.LegalActions().ForEach([&](Action reply) {
      best = std::max(best, -*solver.Solve(testing::Actions({cell, Index(reply)})));
    });
    const bool opening_wins = std::ranges::find(winning, cell) != winning.end();
    EXPECT_EQ(best, opening_wins ? -1 : 1) << cell;
  }
}

TEST(HexSolver, AgreesWithBruteForce) {
  HexSolver on3(3, {.table = MiB(4)});
  testing::ExpectSameAsBruteForce<Hex<3>>(on3, 200, 1);
  HexSolver on4(4, {.table = MiB(4)});
  testing::ExpectSameAsBruteForce<Hex<4>>(on4, 100, 5);
  HexSolver on5(5, {.table = MiB(4)});
  testing::ExpectSameAsBruteForce<Hex<5>>(on5, 60, 14);
}

TEST(HexSolver, AcceptsWhatTheGameAccepts) {
  HexSolver on3(3, {.table = MiB(4)});
  testing::ExpectSameLegalActions<Hex<3>>(on3, 100, 1);
  HexSolver on5(5, {.table = MiB(4)});
  testing::ExpectSameLegalActions<Hex<5>>(on5, 20, 10);
}

}  // namespace
}  // namespace az
