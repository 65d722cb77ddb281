#pragma once
// GameStatus: "running" or the outcome, in one byte. Game states keep one and set it in Apply, so
// Result() has nothing to compute.

#include <cstdint>
#include <optional>

#include "games/game.h"

namespace az {

// Immutable value.
class GameStatus {
 public:
  constexpr GameStatus() = default;  // running
  static constexpr GameStatus WonBy(Player player) {
    return GameStatus(player == Player::kFirst ? std::int8_t{1} : std::int8_t{-1});
  }
  static constexpr GameStatus Drawn() { return GameStatus(0); }

  constexpr bool over() const { return code_ != kRunning; }
  constexpr std::optional<Outcome> Result() const {
    if (!over()) return std::nullopt;
    return static_cast<Outcome>(code_);
  }
  friend constexpr bool operator==(GameStatus, GameStatus) = default;

 private:
  static constexpr std::int8_t kRunning = 2;
  constexpr explicit GameStatus(std::int8_t code) : code_(code) {}
  std::int8_t code_ = kRunning;  // otherwise the value of the Outcome
};

}  // namespace az
