#pragma once
// LocalEvaluator: an Evaluator that runs its batches itself, in the thread that waits.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/ipc/batch_runner.h"
#include "engine/ipc/evaluator.h"
#include "games/game.h"

namespace az {

// Confined to one thread. The runner must outlive it, and it must outlive its batches.
class LocalEvaluator final : public Evaluator {
 public:
  struct Options {
    PlaneShape shape;
    int actions = 0;
    int rows = 32;     // of a block
    int batches = 4;   // blocks
    int bucket = 128;  // rows a forward takes at most; at least `rows`
  };
  LocalEvaluator(const Options& options, BatchRunner& runner);

  // Nobody else can give a block back, so with none free the answer is kTimeout at once.
  Result<EvalBatch> Reserve(ModelId model, int rows, Deadline deadline) override;
  Result<void> Submit(EvalBatch& batch) override;
  // Runs the batch if it has not been run, together with other submitted ones of its model that fit
  // the bucket.
  Result<void> Wait(EvalBatch& batch, Deadline deadline) override;
  Result<int> WaitAny(std::span<EvalBatch* const> batches, Deadline deadline) override;
  int max_rows() const override { return options_.rows; }
  int max_batches() const override { return options_.batches; }

 protected:
  void Release(int block) override;

 private:
  enum class State : std::uint8_t { kFree, kReserved, kSubmitted, kAnswered };
  struct Block {
    State state = State::kFree;
    ModelId model;
    int rows = 0;
    std::uint64_t order = 0;  // of submission
    WeightsVersion version = 0;
    Result<void> result;
    std::vector<std::uint64_t> planes;
    std::vector<float> logits;
    std::vector<float> values;
  };
  Block& BlockOf(const EvalBatch& batch);
  void RunWith(Block& first);  // that block and others of its model
  Result<WeightsVersion> Run(ModelId model, int rows);

  Options options_;
  BatchRunner& runner_;
  std::vector<Block> blocks_;
  std::vector<BlockView> views_;
  std::uint64_t submitted_ = 0;
};

}  // namespace az
