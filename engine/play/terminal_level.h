#pragma once
// How strong an opponent a person asked for: fewer simulations, and moves drawn by their visits.

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/rng.h"
#include "engine/play/thinker.h"
#include "engine/players/player_settings.h"

namespace az {

struct PlayLevel {
  int simulations = 0;
  double temperature = 0.0;  // of the choice of the move, by visits; 0: the best
};

// From 1, which errs often, to kMostLevel.
inline constexpr int kMostLevel = 10;
// Whether levels mean something to such a player: one that makes no simulations has a single
// strength.
bool HasLevels(PlayerKind kind);
// kInvalid, for a level that such a player was asked for.
Error NoLevels(std::string_view player);
// REQUIRES: 1 <= level <= kMostLevel.
PlayLevel LevelOf(int level);

// The thought's best move, or at a temperature one drawn by visits^(1 / temperature). A position
// that is proven is played as it was thought.
Action ChooseMove(const Thought& thought, double temperature, Rng& rng);

}  // namespace az
