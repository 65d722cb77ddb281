#pragma once
// Checks before the first game that the programs of a tournament can be started and play its game;
// otherwise they would forfeit every game.

#include "base/clock.h"
#include "base/result.h"
#include "engine/tournament/arena_setup.h"

namespace az {

// Starts a player's program once, sends it an empty board of the game (size, komi and clock), and
// ends it. Fails with kUnavailable, naming the player and saying how the program ended, what it
// refused, or that it did not answer in time. Does nothing for a player that is no program.
Result<void> CheckProgram(const PlayerSpec& player, const GameOps& game, const Clock& clock);
// Checks the programs of all players.
Result<void> CheckPrograms(const ArenaSetup& setup, const Clock& clock);

}  // namespace az
