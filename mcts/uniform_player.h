#pragma once
// The tree search without a network: every move alike, every leaf worth 0 or the end of a random
// game from it, and proven nodes. For yardsticks of the search itself; not part of training.

#include <cstdint>
#include <span>

#include "base/rng.h"
#include "games/game.h"
#include "mcts/fresh_search.h"
#include "mcts/rollout_player.h"
#include "mcts/uniform_rows.h"

namespace az {

enum class LeafValue : std::uint8_t { kZero, kPlayout };

// Deterministic: same position, same move. Thread-compatible.
template <GameState S>
class UniformPlayer {
 public:
  // REQUIRES: visits > 0.
  UniformPlayer(int visits, LeafValue leaf_value, const SearchOptions& options = {})
      : leaf_value_(leaf_value), search_(options, visits) {}

  // The move of a fresh search. REQUIRES: the game is not over.
  Action Choose(const S& state) {
    Rng rng(0);
    const auto answer = [&](const EvalRow& row, const S& leaf) -> Result<void> {
      FillUniform(std::span(&row, 1));
      if (leaf_value_ == LeafValue::kPlayout) {
        const double for_first = RandomPlayout(leaf, rng);
        *row.value = static_cast<float>(leaf.ToMove() == Player::kFirst ? for_first : -for_first);
      }
      return {};
    };
    return *search_.Choose(state, answer);  // its answers are always usable
  }

 private:
  LeafValue leaf_value_;
  FreshSearch<S> search_;
};

}  // namespace az
