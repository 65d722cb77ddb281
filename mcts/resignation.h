#pragma once
// When a side gives up in self-play, and whether it was right to. The worker asks after each of its
// searches; the loop judges the threshold by the errors (engine/run/resign_audit.h).

#include <array>
#include <optional>

#include "games/game.h"
#include "mcts/search_options.h"

namespace az {

// Follows one game, in which a side resigns after `streak` own moves in a row whose root value is at
// most -threshold. Thread-compatible.
class Resignation {
 public:
  // A threshold of 0: nobody ever does.
  Resignation(double threshold, int streak) : threshold_(threshold), streak_(streak) {}

  // A search of `side`, the side to move, has found `root_value`, in its view. True when the side
  // would resign, the first time that one does.
  bool Notes(Player side, float root_value) {
    int& length = lengths_[static_cast<std::size_t>(side)];
    const bool bad = threshold_ > 0.0 && static_cast<double>(root_value) <= -threshold_;
    length = bad ? length + 1 : 0;
    if (length < streak_ || noted_) return false;
    noted_ = side;
    return true;
  }

  // For a game that goes on after its `side` was noted elsewhere.
  void Restore(Player side) { noted_ = side; }

  // The side that resigned, or would have.
  std::optional<Player> noted() const { return noted_; }
  // The game was played to its end: the noted side did not lose it. REQUIRES: noted().
  bool WasWrong(Outcome outcome) const { return ValueFor(outcome, *noted_) >= 0; }

 private:
  double threshold_;
  int streak_;
  std::array<int, 2> lengths_{};
  std::optional<Player> noted_;
};

}  // namespace az
