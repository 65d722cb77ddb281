#pragma once
// Evaluator: where searches get their network answers. Workers use ShmEvaluator (shared memory),
// az_play ServedEvaluator around one (engine/play), tests others. What each must do is in
// tests/support/evaluator_conformance.h.

#include <cstdint>
#include <memory>
#include <span>

#include "base/clock.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "mcts/eval_row.h"

namespace az {

using ModelId =
    StrongId<struct ModelIdTag, std::uint16_t>;  // a model slot of the server: 0 best, 1 candidate
inline constexpr ModelId kBestModel{0};
inline constexpr ModelId kCandidateModel{1};
using WeightsVersion = std::uint64_t;  // counts publications; 0 = none

class EvalBatch;

// One per thread; rows live in memory owned by the evaluator.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // A free block with room for `rows` rows (at most max_rows()), all for one model. kTimeout when
  // none gets free in time: that is the backpressure, and the only one. kInvalid: too many rows.
  virtual Result<EvalBatch> Reserve(ModelId model, int rows, Deadline deadline) = 0;

  // Hands the first batch.rows() rows over; never blocks. They are the server's until Wait returns.
  virtual Result<void> Submit(EvalBatch& batch) = 0;

  // Blocks until the answers are in. Then rows' logits and values are set and batch.version() says
  // which weights answered. kTimeout: still in flight, wait again. kNoModel, kNotFinite, kNoMemory,
  // kInvalid, kCorrupt (poisoned): the batch failed as a whole and may be dropped.
  virtual Result<void> Wait(EvalBatch& batch, Deadline deadline) = 0;

  // Blocks until one of the submitted batches is answered or failed; its index. Wait then tells a
  // failure, at once. kTimeout as above.
  virtual Result<int> WaitAny(std::span<EvalBatch* const> batches, Deadline deadline) = 0;

  virtual int max_rows() const = 0;     // rows of a block
  virtual int max_batches() const = 0;  // blocks that can be reserved or in flight at a time

 protected:
  friend class EvalBatch;
  // Takes the block of a dropped batch back; one in flight is taken back when it is answered.
  virtual void Release(int block) = 0;
};

// Move-only handle of one block. Dropping it gives the block back.
class EvalBatch {
 public:
  EvalBatch() = default;
  // For implementations of Evaluator. Lays `rows` rows out from the block's arrays: planes
  // [row][words], logits [row][actions], value [row].
  struct Layout {
    std::uint64_t* planes = nullptr;
    float* logits = nullptr;
    float* values = nullptr;
    int words = 0;
    int actions = 0;
  };
  EvalBatch(Evaluator* owner, int block, ModelId model, int rows, Layout layout)
      : owner_(owner), block_(block), model_(model), rows_(rows), layout_(layout) {}
  EvalBatch(EvalBatch&& other) noexcept { *this = std::move(other); }
  EvalBatch& operator=(EvalBatch&& other) noexcept;
  ~EvalBatch() { Reset(); }

  void Reset();  // gives the block back, if any
  bool valid() const { return owner_ != nullptr; }
  int block() const { return block_; }
  ModelId model() const { return model_; }
  int rows() const { return rows_; }
  EvalRow row(int i) const;  // REQUIRES: 0 <= i < rows()

  // Fewer rows than reserved will be submitted. REQUIRES: 0 < rows <= rows(), not submitted.
  void Shrink(int rows);

  WeightsVersion version() const { return version_; }  // 0 before the answer
  void set_version(WeightsVersion version) { version_ = version; }
  std::uint64_t request() const { return request_; }  // checked against the answer
  void set_request(std::uint64_t request) { request_ = request; }

 private:
  Evaluator* owner_ = nullptr;  // nullable; outlives the batch
  int block_ = -1;
  ModelId model_{};
  int rows_ = 0;
  Layout layout_;
  WeightsVersion version_ = 0;
  std::uint64_t request_ = 0;
};

}  // namespace az
