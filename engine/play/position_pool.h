#pragma once
// PositionPool: searches many positions of one game at a time, so that the network gets full
// batches. For analysis. The answer depends only on the position, its simulations, its seed and the
// network, not on what else is searched.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/result.h"
#include "engine/ipc/evaluator.h"
#include "engine/play/thinker.h"
#include "games/game_ops.h"
#include "mcts/search_options.h"

namespace az {

struct PositionTask {
  std::uint64_t ticket = 0;  // returned with the answer
  StartOptions start;
  std::vector<Action> moves;  // from the start
  int simulations = 1;        // 1 to kMostSimulations
  std::uint64_t seed = 0;
};

struct PositionAnswer {
  std::uint64_t ticket = 0;
  Result<Thought> thought;  // an error concerns this position alone
};

// Confined to one thread.
class PositionPool {
 public:
  virtual ~PositionPool() = default;

  // Whether one more position may be added now, with so many simulations. An empty pool takes any.
  virtual bool HasRoomFor(int simulations) const = 0;
  virtual bool is_empty() const = 0;  // whether no position is being searched

  // Starts a search. A position that cannot be searched gets an error as its answer. REQUIRES:
  // HasRoomFor(task.simulations).
  virtual void Add(PositionTask task) = 0;

  // Searches until at least one position is answered or the deadline passes; returns at once when
  // the pool is empty. An error ends the pool, and positions that are left get no answer.
  virtual Result<void> Run(Deadline deadline) = 0;

  // The answers since the last call, in the order in which they were found.
  virtual std::vector<PositionAnswer> Take() = 0;
};

struct SearchPoolSetup {
  SearchOptions search;  // one leaf of a tree waits at a time, whatever max_in_flight says
  ModelId model = kBestModel;
  WeightsVersion version = 1;  // the version of the weights in that slot
  int slots = 64;              // positions searched at a time, with trees for search.visits
  Evaluator& evaluator;        // outlives the pool, like the clock
  const Clock& clock;
};
std::unique_ptr<PositionPool> MakeSearchPool(const GameOps& game, const SearchPoolSetup& setup);

// A pool for players without a network: it thinks about one position after the other, each from
// scratch. The thinker's own seed counts, not the tasks'.
std::unique_ptr<PositionPool> MakeThinkerPool(std::unique_ptr<Thinker> thinker);

}  // namespace az
