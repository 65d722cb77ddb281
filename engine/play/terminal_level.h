#pragma once
// How strong an opponent a person asked for: fewer simulations, and moves drawn by their visits.

#include <cstdint>

#include "base/rng.h"
#include "engine/play/thinker.h"

namespace az {

struct PlayLevel {
  int simulations = 0;
  double temperature = 0.0;  // of the choice of the move, by visits; 0: the best
};

// From 1, which errs often, to kMostLevel.
inline constexpr int kMostLevel = 10;
// REQUIRES: 1 <= level <= kMostLevel.
PlayLevel LevelOf(int level);

// The thought's best move, or at a temperature one drawn by visits^(1 / temperature). A position
// that is proven is played as it was thought.
Action ChooseMove(const Thought& thought, double temperature, Rng& rng);

}  // namespace az
