#pragma once
// Perft: the number of action sequences of exactly `depth` plies from a state. A finished game has
// none beyond its end. For tests of the rules and for az_bench rules.

#include <cstdint>

#include "games/game.h"

namespace az {

// REQUIRES: depth >= 0.
template <GameState S>
std::uint64_t Perft(const S& state, int depth) {
  if (depth == 0) return 1;
  const auto legal = state.LegalActions();
  if (depth == 1) return static_cast<std::uint64_t>(legal.Count());
  std::uint64_t count = 0;
  legal.ForEach([&](Action a) {
    S child = state;
    child.Apply(a);
    count += Perft(child, depth - 1);
  });
  return count;
}

}  // namespace az
