#pragma once
// Forfeits of a tournament that tell nothing of strength: who reads the score alone must be told.

#include <string>
#include <vector>

#include "engine/loop/arena_setup.h"

namespace az {

// A line for each player that lost games for a cause outside of the game, with the reasons and how
// often: its program refused a command or died, or it did not answer although no clock was running
// (a solver whose position is too large). An illegal move and a fallen flag are of the game.
std::vector<std::string> FaultsOf(const std::vector<ArenaPlayer>& players,
                                  const std::vector<PlayedMatch>& matches);

}  // namespace az
