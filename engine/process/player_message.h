#pragma once
// From a player as people write it to what a worker is told.

#include "engine/players/player_spec.h"
#include "engine/process/messages.h"

namespace az {

// `model`: the model slot that a checkpoint's weights are loaded into; the others have none.
PlayerMessage MessageFor(const PlayerSpec& spec, int model);

}  // namespace az
