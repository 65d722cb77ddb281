#pragma once
// Whether the programs of a tournament can be started and play its game: asked before the first
// game, since they would forfeit every one.

#include "base/clock.h"
#include "base/result.h"
#include "engine/tournament/arena_setup.h"

namespace az {

// Starts a player's program once, tells it of an empty board of the game (its size, komi and
// clock), and ends it. kUnavailable: names the player, and says how it ended, what it refused, or
// that it did not answer in its time. Nothing to do for a player that is no program.
Result<void> CheckProgram(const PlayerSpec& player, const GameOps& game, const Clock& clock);
// Of all players.
Result<void> CheckPrograms(const ArenaSetup& setup, const Clock& clock);

}  // namespace az
