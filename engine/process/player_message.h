#pragma once
// From a player as people write it to what a worker is told.

#include "engine/players/player_spec.h"
#include "engine/process/messages.h"

namespace az {

// `model`: the model slot that a checkpoint's weights are loaded into; the others have none.
PlayerMessage MessageFor(const PlayerSpec& spec, int model);

// Whether a match's games differ by what this player draws: random moves, random games of a tree
// search, the order in which a solver tries moves, a temperature. A network without one draws
// nothing; a program is taken to draw nothing either, for nobody can tell. REQUIRES: settings that
// read (ParsePlayerSettings).
bool DrawsMoves(const PlayerMessage& player);

}  // namespace az
