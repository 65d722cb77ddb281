#pragma once
// PlayLevel: the strength of an opponent that a person asks for: lower levels have fewer
// simulations, and moves drawn by their visits.

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/rng.h"
#include "engine/play/thinker.h"
#include "engine/players/player_settings.h"

namespace az {

struct PlayLevel {
  int simulations = 0;
  double temperature = 0.0;  // for choosing the move by its visits; 0: the best move
};

// The strongest level; level 1 errs often.
inline constexpr int kMostLevel = 10;
// Whether such a player has levels: one that makes no simulations has a single strength.
bool HasLevels(PlayerKind kind);
// The kInvalid error for a level that a player without levels was asked for.
Error NoLevels(std::string_view player);
// The settings of a level. REQUIRES: 1 <= level <= kMostLevel.
PlayLevel LevelOf(int level);

// The thought's best move, or with a temperature one drawn by visits^(1 / temperature). In a proven
// position it is always the best move.
Action ChooseMove(const Thought& thought, double temperature, Rng& rng);

}  // namespace az
