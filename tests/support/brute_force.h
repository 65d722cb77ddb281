#pragma once
// The value of a small game by trying everything: for tests that know who wins. Positions are told
// apart by their hash.

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "games/game.h"

namespace az::testing {

// Confined to one thread. Keeps what it has solved for the next call.
template <GameState S>
class BruteForce {
 public:
  // The outcome under best play, for the side to move: +1 wins, 0 draws, -1 loses.
  int Solve(const S& state) {
    const std::optional<Outcome> outcome = state.Result();
    if (outcome.has_value()) return ValueFor(*outcome, state.ToMove());
    const std::uint64_t hash = state.Hash();
    if (const auto known = solved_.find(hash); known != solved_.end()) return known->second;
    int best = -1;
    const auto legal = state.LegalActions();
    for (int k = 0; k < legal.Count() && best < 1; ++k) {
      S child = state;
      child.Apply(legal.Nth(k));
      const int value = Solve(child);
      const int for_mover = child.ToMove() == state.ToMove() ? value : -value;
      if (for_mover > best) best = for_mover;
    }
    solved_.emplace(hash, static_cast<std::int8_t>(best));
    return best;
  }

 private:
  std::unordered_map<std::uint64_t, std::int8_t> solved_;
};

}  // namespace az::testing
