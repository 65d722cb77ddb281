#pragma once
// Whether the programs of a tournament can be started at all: asked before the first game, since
// they would forfeit every one.

#include "base/clock.h"
#include "base/result.h"
#include "engine/loop/arena_setup.h"

namespace az {

// Starts each program once, waits until it has said which GTP it speaks, and ends it. kUnavailable:
// names the player, and says how it ended or that it did not answer in its time.
Result<void> CheckPrograms(const ArenaSetup& setup, const Clock& clock);

}  // namespace az
