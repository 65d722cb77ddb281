#pragma once
// UniformEvaluator: every action equally likely, every position even. In this process.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/ipc/evaluator.h"

namespace az {

struct UniformEvaluatorShape {
  int blocks = 4;
  int rows = 32;
  int words = 1;  // of a row
  int actions = 1;
};

// Confined to one thread. Never sleeps: answers are there when Submit returns, with weights
// version 1.
class UniformEvaluator final : public Evaluator {
 public:
  explicit UniformEvaluator(const UniformEvaluatorShape& shape);

  Result<EvalBatch> Reserve(ModelId model, int rows, Deadline deadline) override;
  Result<void> Submit(EvalBatch& batch) override;
  Result<void> Wait(EvalBatch& batch, Deadline deadline) override;
  Result<int> WaitAny(std::span<EvalBatch* const> batches, Deadline deadline) override;
  int max_rows() const override { return shape_.rows; }
  int max_batches() const override { return shape_.blocks; }

 protected:
  void Release(int block) override;

 private:
  enum class Use : std::uint8_t { kUnused, kReserved, kSubmitted };

  UniformEvaluatorShape shape_;
  std::vector<Use> uses_;              // [blocks]
  std::vector<std::uint64_t> planes_;  // [blocks][rows][words]
  std::vector<float> logits_;          // [blocks][rows][actions]
  std::vector<float> values_;          // [blocks][rows]
};

}  // namespace az
