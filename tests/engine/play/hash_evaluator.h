#pragma once
// HashEvaluator: answers that depend on every word of a position, as a network's do. In this
// process, at once.

#include <limits>
#include <span>

#include "base/check.h"
#include "games/game_ops.h"
#include "tests/support/fake_runner.h"
#include "tests/support/uniform_evaluator.h"

namespace az::testing {

class HashEvaluator final : public Evaluator {
 public:
  explicit HashEvaluator(const GameInfo& game, int rows = 8)
      : inner_(
            {.blocks = 3, .rows = rows, .words = game.shape.words(), .actions = game.num_actions}) {
  }

  // The position with these planes is answered with NaN from now on.
  void Spoil(std::span<const std::uint64_t> planes) { spoiled_ = fakes::RowHash(planes, 1); }
  int largest_batch() const { return largest_batch_; }

  Result<EvalBatch> Reserve(ModelId model, int rows, Deadline deadline) override {
    return inner_.Reserve(model, rows, deadline);
  }
  Result<void> Submit(EvalBatch& batch) override {
    AZ_RETURN_IF_ERROR(inner_.Submit(batch));
    largest_batch_ = std::max(largest_batch_, batch.rows());
    for (int i = 0; i < batch.rows(); ++i) {
      const EvalRow row = batch.row(i);
      fakes::FakeForward(row.planes, 1, row.logits, *row.value);
      if (fakes::RowHash(row.planes, 1) == spoiled_) {
        *row.value = std::numeric_limits<float>::quiet_NaN();
      }
    }
    return {};
  }
  Result<void> Wait(EvalBatch& batch, Deadline deadline) override {
    AZ_RETURN_IF_ERROR(inner_.Wait(batch, deadline));
    for (int i = 0; i < batch.rows(); ++i) {
      const float value = *batch.row(i).value;
      if (value != value) return Error{Errc::kNotFinite, "a row is not finite"};
    }
    return {};
  }
  Result<int> WaitAny(std::span<EvalBatch* const> batches, Deadline deadline) override {
    return inner_.WaitAny(batches, deadline);
  }
  int max_rows() const override { return inner_.max_rows(); }
  int max_batches() const override { return inner_.max_batches(); }

 protected:
  void Release(int /*block*/) override { AZ_CHECK(false) << "batches belong to the inner one"; }

 private:
  UniformEvaluator inner_;
  std::uint64_t spoiled_ = 0;
  int largest_batch_ = 0;
};

}  // namespace az::testing
