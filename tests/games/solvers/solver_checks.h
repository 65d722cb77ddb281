#pragma once
// What tests ask of every solver: the same answers as trying everything with the game's own rules,
// and the same refusals.

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"
#include "games/solvers/solver.h"
#include "tests/support/brute_force.h"
#include "tests/support/random_play.h"

namespace az::testing {

// Random games of S: at every position of at least `from_ply` plies, the end included, the solver
// and brute force agree.
template <GameState S>
void ExpectSameAsBruteForce(Solver& solver, int games, std::size_t from_ply) {
  Rng rng(41);
  BruteForce<S> brute;
  for (int game = 0; game < games; ++game) {
    std::vector<Action> actions;
    PlayRandomGame<S>(rng, [&](const S&, Action a, const S& after) {
      actions.push_back(a);
      if (actions.size() < from_ply) return;
      const auto value = solver.Solve(actions);
      ASSERT_TRUE(value.has_value()) << value.error().message;
      ASSERT_EQ(*value, brute.Solve(after)) << after.ToString();
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// At every ply of random games the solver accepts the legal actions and refuses all others.
template <GameState S>
void ExpectSameLegalActions(Solver& solver, int games, std::size_t from_ply) {
  Rng rng(43);
  for (int game = 0; game < games; ++game) {
    std::vector<Action> actions;
    PlayRandomGame<S>(rng, [&](const S&, Action played, const S& after) {
      actions.push_back(played);
      if (actions.size() < from_ply) return;
      for (int a = 0; a <= S::kNumActions; ++a) {
        actions.push_back(static_cast<Action>(a));
        const auto value = solver.Solve(actions);
        const bool refused = !value.has_value() && value.error().code == Errc::kInvalid;
        ASSERT_EQ(!refused, after.LegalActions().Contains(static_cast<Action>(a)))
            << "action " << a << "\n"
            << after.ToString();
        actions.pop_back();
      }
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

inline std::vector<Action> Actions(std::initializer_list<int> numbers) {
  std::vector<Action> actions;
  for (const int a : numbers) actions.push_back(static_cast<Action>(a));
  return actions;
}

}  // namespace az::testing
