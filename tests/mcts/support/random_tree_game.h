#pragma once
// RandomTree: a game of which every seed is another small tree: one to four actions, draws, early
// ends, a side to move drawn afresh each ply (so players move twice in a row). For properties of
// the search. Minimax: its exact values.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "games/action_set.h"
#include "games/game.h"
#include "tests/support/toy_game.h"

namespace az {

// Thread-compatible.
class RandomTree : public ToyGame {
 public:
  static constexpr std::string_view kName = "random_tree";
  static constexpr int kNumActions = 4;
  static constexpr int kMaxPlies = 5;

  RandomTree() : RandomTree(0) {}
  explicit RandomTree(std::uint64_t seed) : node_(Mix64(seed + 1)) {}

  Player ToMove() const { return static_cast<Player>(node_ >> 8 & 1); }
  std::optional<Outcome> Result() const {
    if (plies_ < kMaxPlies && (plies_ < 2 || (node_ >> 16 & 7) != 0)) return std::nullopt;
    return static_cast<Outcome>(static_cast<int>((node_ >> 24) % 3) - 1);
  }
  ActionSet<kNumActions> LegalActions() const {
    if (Result().has_value()) return {};
    const std::uint64_t mask = node_ >> 32 & 15;
    return ActionSet<kNumActions>(mask == 0 ? 15 : mask);
  }
  void Apply(Action a) {
    node_ = HashCombine(node_, static_cast<std::uint64_t>(Index(a)));
    ++plies_;
  }
  std::uint64_t Hash() const { return node_; }
  void Encode(std::span<std::uint64_t> bits) const { bits[0] = node_; }
  std::string ToString() const { return std::to_string(node_); }
  friend bool operator==(const RandomTree&, const RandomTree&) = default;

 private:
  std::uint64_t node_;
  int plies_ = 0;
};
static_assert(GameState<RandomTree>);

// The value of perfect play, in the first player's view.
template <GameState S>
int Minimax(const S& state) {
  if (const auto outcome = state.Result()) return static_cast<int>(*outcome);
  const bool first = state.ToMove() == Player::kFirst;
  int best = first ? -1 : +1;
  state.LegalActions().ForEach([&](Action a) {
    if (best == (first ? +1 : -1)) return;
    S next = state;
    next.Apply(a);
    const int value = Minimax(next);
    best = first ? std::max(best, value) : std::min(best, value);
  });
  return best;
}

}  // namespace az
