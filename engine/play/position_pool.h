#pragma once
// PositionPool: searches many positions of one game at a time, so that the network sees full
// batches. For analysis. What a position is answered depends on nothing but the position, its
// simulations, its seed and the network: not on what else is searched.

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
  std::uint64_t ticket = 0;  // comes back with the answer
  StartOptions start;
  std::vector<Action> moves;  // from the start
  int simulations = 1;        // 1 to kMostSimulations
  std::uint64_t seed = 0;
};

struct PositionAnswer {
  std::uint64_t ticket = 0;
  Result<Thought> thought;  // an error of this position alone
};

// Confined to one thread.
class PositionPool {
 public:
  virtual ~PositionPool() = default;

  // Whether one more position may be added now, with so many simulations. An empty pool takes any.
  virtual bool HasRoomFor(int simulations) const = 0;
  virtual bool is_empty() const = 0;  // nothing is searched

  // Starts a search; a position that cannot be searched is answered with its error. REQUIRES:
  // HasRoomFor(task.simulations).
  virtual void Add(PositionTask task) = 0;

  // Searches until at least one position is answered, or the deadline passes. An error ends the
  // pool: what is left is not answered any more. Returns at once when it is empty.
  virtual Result<void> Run(Deadline deadline) = 0;

  // The answers since the last call, in the order in which they came.
  virtual std::vector<PositionAnswer> Take() = 0;
};

struct SearchPoolSetup {
  SearchOptions search;  // one leaf of a tree waits at a time, whatever max_in_flight says
  ModelId model = kBestModel;
  WeightsVersion version = 1;  // of the weights in that slot
  int slots = 64;              // positions searched at a time; their trees are of search.visits
  Evaluator& evaluator;        // these outlive the pool
  const Clock& clock;
};
std::unique_ptr<PositionPool> MakeSearchPool(const GameOps& game, const SearchPoolSetup& setup);

// One position after the other, each thought about from nothing: for players that evaluate by
// themselves. Their own seed counts, not the tasks'.
std::unique_ptr<PositionPool> MakeThinkerPool(std::unique_ptr<Thinker> thinker);

}  // namespace az
