#pragma once
// What the learning tests need of a game's type: self-play by the real worker, and the moves of a
// search. Instantiated in typed_game.cc for the few games they play.

#include <span>

#include "base/result.h"
#include "engine/worker/worker.h"
#include "games/game_ops.h"
#include "tests/learning/exact_positions.h"
#include "tests/learning/faults.h"
#include "tests/learning/judge.h"

namespace az {

// A worker of that game from start to stop, in this thread; a fault of the game's end is in its
// rules. kInvalid: no such game here.
Result<void> RunWorker(const GameOps& game, Fault fault, const WorkerSetup& setup);

// The game as that worker's rules have it, for those who check its records; nullptr: as it is.
std::unique_ptr<GameOps> WithWrongEnd(const GameOps& game, Fault fault);

// What a search of `visits` simulations finds in each position, the network's answers given.
SearchFindings SearchAll(const GameOps& game, std::span<const ExactPosition> positions,
                         const NetworkAnswers& answers, int visits);

}  // namespace az
