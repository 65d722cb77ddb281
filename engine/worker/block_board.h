#pragma once
// BlockBoard: which slot's position stands in which row of which block. Fills one block a model,
// submits it when it is full, and hands answered blocks out.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/ipc/evaluator.h"

namespace az {

// Confined to the worker's thread. The evaluator outlives it.
class BlockBoard {
 public:
  explicit BlockBoard(Evaluator& evaluator) : evaluator_(evaluator) {}

  // The next row of the block that is being filled for `model`, or nothing when every block is in
  // flight. Nothing is taken before Use.
  Result<std::optional<EvalRow>> NextRow(ModelId model);
  // The row given last holds the position of `slot`. Submits the block when it is full.
  Result<void> Use(ModelId model, int slot);

  // Submits the partly filled blocks of every model.
  Result<void> SubmitPartial();

  bool any_in_flight() const { return !in_flight_.empty(); }

  // An answered block with its slots, row by row. When `error` is set the rows hold nothing;
  // with kNotFinite they hold what was answered.
  struct Answer {
    EvalBatch batch;
    std::vector<int> slots;
    std::optional<Error> error;
  };
  // Blocks until a block is answered, a notice comes or the deadline passes: nothing in the last
  // two cases.
  Result<std::optional<Answer>> Wait(Deadline deadline);

  // Blocks until Reserve would succeed, at most until the deadline. REQUIRES: nothing of ours is
  // filled or in flight.
  Result<void> AwaitFreeBlock(Deadline deadline);

  // Gives every block back; what is in flight is freed when it is answered.
  void Clear();

 private:
  struct Block {
    EvalBatch batch;
    std::vector<int> slots;
  };
  Result<void> Submit(Block block);
  Block* Filling(ModelId model);

  Evaluator& evaluator_;
  std::vector<Block> filling_;  // at most one a model
  std::vector<Block> in_flight_;
};

}  // namespace az
