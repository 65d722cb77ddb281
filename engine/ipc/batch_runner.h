#pragma once
// BatchRunner: runs one forward over the rows of several blocks. engine/net implements it with
// LibTorch, tests fake it; engine/server drives it. One object per CPU runner thread or GPU batch
// slot.

#include <cstdint>
#include <span>

#include "base/result.h"
#include "engine/ipc/evaluator.h"

namespace az {

// A block's rows while the server owns them. Arrays as in EvalBatch::Layout, rows packed.
struct BlockView {
  const std::uint64_t* planes = nullptr;  // [rows][words]
  float* logits = nullptr;                // [rows][actions]
  float* values = nullptr;                // [rows]
  int rows = 0;
};

// Confined to one thread, but for the exception written at each implementation.
class BatchRunner {
 public:
  virtual ~BatchRunner() = default;
  // Starts a forward of `model` over the blocks' rows, padded to `bucket` rows; asynchronous on a
  // GPU. The views stay valid until Finish returns. Gives the version of the weights that answer.
  // kNoModel: the slot is empty. kNoMemory: out of device memory, nothing was written and the same
  // rows may be run again in a smaller bucket.
  virtual Result<WeightsVersion> Launch(ModelId model, int bucket,
                                        std::span<const BlockView> blocks) = 0;
  // Returns when the outputs are in the views; on a CPU the work is done here. They may be NaN or
  // infinite, which is of their block alone: whoever hands them on looks.
  virtual Result<void> Finish() = 0;
};

}  // namespace az
