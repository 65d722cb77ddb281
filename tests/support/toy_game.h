#pragma once
// ToyGame: what games made up for a test have in common. They are trees without a board: one plane,
// no symmetry, moves named by their numbers.

#include <string>

#include "games/game.h"

namespace az {

struct ToyGame {
  static constexpr int kNumSymmetries = 1;
  static constexpr PlaneShape kShape{.planes = 1, .rows = 8, .cols = 8};
  static Action MapAction(Action a, int) { return a; }
  static int MapCell(int cell, int) { return cell; }
  std::string MoveText(Action a) const { return std::to_string(Index(a)); }
  friend bool operator==(const ToyGame&, const ToyGame&) = default;
};

}  // namespace az
