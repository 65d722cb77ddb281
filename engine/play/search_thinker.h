#pragma once
// The Thinker of a network: one game's search over an Evaluator. The tree is kept while the game
// goes on, and many of its leaves are evaluated at a time.

#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "engine/ipc/evaluator.h"
#include "engine/play/thinker.h"
#include "games/game_ops.h"
#include "mcts/search_options.h"

namespace az {

struct SearchThinkerSetup {
  SearchOptions search;      // max_in_flight 1: LeavesAtATime(simulations)
  float temperature = 0.0f;  // of `best`, by visits; 0: the best move
  ModelId model = kBestModel;
  WeightsVersion version = 1;  // of the weights in that slot
  std::uint64_t seed = 0;
  Evaluator& evaluator;  // these outlive the thinker
  const Clock& clock;
};
std::unique_ptr<Thinker> MakeSearchThinker(const GameOps& game, const SearchThinkerSetup& setup);

// Leaves of one tree that wait for the network at a time: more fill its batches, fewer search
// better. A twenty-fifth of the simulations, from 1 to 16.
int LeavesAtATime(int simulations);

}  // namespace az
