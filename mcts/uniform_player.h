#pragma once
// The tree search without a network: every move alike, every leaf worth 0 or the end of a random
// game from it, and proven nodes. For yardsticks of the search itself; not part of training.

#include <array>
#include <cstdint>
#include <span>

#include "base/rng.h"
#include "games/game.h"
#include "mcts/rollout_player.h"
#include "mcts/search.h"
#include "mcts/uniform_rows.h"

namespace az {

enum class LeafValue : std::uint8_t { kZero, kPlayout };

// Deterministic: same position, same move. Thread-compatible.
template <GameState S>
class UniformPlayer {
 public:
  // REQUIRES: visits > 0.
  UniformPlayer(int visits, LeafValue leaf_value, const SearchOptions& options = {})
      : leaf_value_(leaf_value), search_(options, SearchMode::kPlay, visits, /*run_seed=*/0, {}) {}

  // The move of a fresh search. REQUIRES: the game is not over.
  Action Choose(const S& state) {
    search_.Clear();
    search_.SetRoot(state, Rng(0));
    std::array<EvalRow, 1> rows = {EvalRow{.planes = planes_, .logits = logits_, .value = &value_}};
    Rng rng(0);
    while (!search_.Done()) {
      const auto gathered = static_cast<std::size_t>(search_.Gather(rows));
      const auto answered = std::span<const EvalRow>(rows).first(gathered);
      FillUniform(answered);
      if (gathered == 1 && leaf_value_ == LeafValue::kPlayout) {
        const S& leaf = search_.RowState(0);
        const double for_first = RandomPlayout(leaf, rng);
        value_ = static_cast<float>(leaf.ToMove() == Player::kFirst ? for_first : -for_first);
      }
      search_.Absorb(answered);
    }
    return search_.ChooseMove(0.0f, rng);
  }

 private:
  LeafValue leaf_value_;
  Search<S> search_;
  std::array<std::uint64_t, static_cast<std::size_t>(S::kShape.words())> planes_{};
  std::array<float, S::kNumActions> logits_{};
  float value_ = 0.0f;
};

}  // namespace az
