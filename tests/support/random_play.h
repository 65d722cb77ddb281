#pragma once
// Random games for tests: uniform over the legal actions, from a seed.

#include <cstdint>

#include "base/rng.h"
#include "games/game.h"

namespace az::testing {

// REQUIRES: the game is not over.
template <GameState S>
Action RandomAction(const S& state, Rng& rng) {
  const auto legal = state.LegalActions();
  return legal.Nth(static_cast<int>(rng.Below(static_cast<std::uint64_t>(legal.Count()))));
}

// Calls visit(before, action, after) for every ply; returns the final state. A game that runs past
// kMaxPlies is cut there, which its missing result then shows.
template <GameState S, class Visit>
S PlayRandomGame(Rng& rng, Visit&& visit) {
  S state{};
  for (int ply = 0; ply < S::kMaxPlies && !state.Result().has_value(); ++ply) {
    const S before = state;
    const Action action = RandomAction(state, rng);
    state.Apply(action);
    visit(before, action, state);
  }
  return state;
}

}  // namespace az::testing
