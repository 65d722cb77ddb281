#pragma once
// The Thinker with a network: searches one game over an Evaluator. It keeps the tree while the game
// goes on, and has many of its leaves evaluated at a time.

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
  float temperature = 0.0f;  // for choosing `best` by visits; 0: the best move
  ModelId model = kBestModel;
  WeightsVersion version = 1;  // the version of the weights in that slot
  std::uint64_t seed = 0;
  Evaluator& evaluator;  // outlives the thinker, like the clock
  const Clock& clock;
};
std::unique_ptr<Thinker> MakeSearchThinker(const GameOps& game, const SearchThinkerSetup& setup);

// The number of a tree's leaves that wait for the network at a time: more leaves fill its batches
// better, fewer make the search better. A twenty-fifth of the simulations, from 1 to 16.
int LeavesAtATime(int simulations);

}  // namespace az
