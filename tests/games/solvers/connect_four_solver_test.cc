#include "games/solvers/connect_four_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "games/registry.h"
#include "tests/games/solvers/solver_checks.h"

namespace az {
namespace {

using testing::Actions;

TEST(ConnectFourSolver, AgreesWithBruteForceLateInTheGame) {
  ConnectFourSolver solver({.table = MiB(4)});
  testing::ExpectSameAsBruteForce<ConnectFour>(solver, 2000, 27);
}

TEST(ConnectFourSolver, AcceptsWhatTheGameAccepts) {
  ConnectFourSolver solver({.table = MiB(4)});
  testing::ExpectSameLegalActions<ConnectFour>(solver, 50, 24);
}

// Plies to the end from brute force over exact distances; the solver's score says the same.
struct Distance {
  int value;
  int plies;
};
Distance Fastest(const ConnectFour& state) {
  if (state.Result().has_value()) return {ValueFor(*state.Result(), state.ToMove()), 0};
  Distance best{-2, 0};
  state.LegalActions().ForEach([&](Action a) {
    ConnectFour child = state;
    child.Apply(a);
    Distance d = Fastest(child);
    d = {-d.value, d.plies + 1};
    const bool sooner = d.value > 0 ? d.plies < best.plies : d.plies > best.plies;
    if (d.value > best.value || (d.value == best.value && sooner)) best = d;
  });
  return best;
}

TEST(ConnectFourSolver, ScoreTellsHowSoon) {
  ConnectFourSolver solver({.table = MiB(4)});
  Rng rng(47);
  int decided = 0;
  for (int game = 0; game < 1000; ++game) {
    std::vector<Action> actions;
    testing::PlayRandomGame<ConnectFour>(
        rng, [&](const ConnectFour&, Action a, const ConnectFour& after) {
          actions.push_back(a);
          const int plies = static_cast<int>(actions.size());
          if (plies < 31) return;
          const Distance distance = Fastest(after);
          const int before_last = plies + distance.plies - 1;  // stones before the winning one
          ASSERT_EQ(*solver.Score(actions), distance.value * ((43 - before_last) / 2))
              << after.ToString();
          decided += distance.value != 0 ? 1 : 0;
        });
  }
  EXPECT_GT(decided, 200);
}

TEST(ConnectFourSolver, MirrorImagesHaveTheSameValue) {
  ConnectFourSolver solver({.table = MiB(16)});
  Rng rng(53);
  for (int game = 0; game < 10; ++game) {
    std::vector<Action> actions;
    std::vector<Action> mirrored;
    testing::PlayRandomGame<ConnectFour>(
        rng, [&](const ConnectFour&, Action a, const ConnectFour&) {
          actions.push_back(a);
          mirrored.push_back(ConnectFour::MapAction(a, 1));
          if (actions.size() < 14) return;
          ASSERT_EQ(*solver.Solve(actions), *solver.Solve(mirrored));
        });
  }
}

TEST(ConnectFourSolver, APositionIsTheBestOfItsMoves) {
  ConnectFourSolver solver({.table = MiB(16)});
  Rng rng(59);
  for (int game = 0; game < 4; ++game) {
    std::vector<Action> actions;
    testing::PlayRandomGame<ConnectFour>(
        rng, [&](const ConnectFour&, Action a, const ConnectFour& after) {
          actions.push_back(a);
          if (actions.size() < 12 || after.Result().has_value()) return;
          int best = -1;
          after.LegalActions().ForEach([&](Action next) {
            actions.push_back(next);
            best = std::max(best, -*solver.Solve(actions));
            actions.pop_back();
          });
          ASSERT_EQ(best, *solver.Solve(actions)) << after.ToString();
        });
  }
}

}  // namespace
}  // namespace az
