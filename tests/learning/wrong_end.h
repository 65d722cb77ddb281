#pragma once
// WrongEnd<S>: a game that is told wrongly how it ended. Everything that plays and trains by it
// believes it; an exact solver has rules of its own.

#include <optional>

#include "games/game.h"
#include "tests/learning/faults.h"

namespace az {

// Thread-compatible.
template <GameState S, Fault kFault>
class WrongEnd : public S {
 public:
  std::optional<Outcome> Result() const {
    static_assert(kFault == Fault::kTerminalSign || kFault == Fault::kDrawIsWin);
    const std::optional<Outcome> outcome = S::Result();
    if (!outcome) return std::nullopt;
    if constexpr (kFault == Fault::kTerminalSign) {
      return static_cast<Outcome>(-static_cast<int>(*outcome));
    }
    return *outcome == Outcome::kDraw ? Outcome::kFirstWins : *outcome;
  }
  friend bool operator==(const WrongEnd&, const WrongEnd&) = default;
};

}  // namespace az
