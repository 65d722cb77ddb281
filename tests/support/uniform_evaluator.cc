#include "tests/support/uniform_evaluator.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"
#include "base/strings.h"

namespace az {

UniformEvaluator::UniformEvaluator(const UniformEvaluatorShape& shape)
    : shape_(shape), uses_(static_cast<std::size_t>(shape.blocks), Use::kUnused) {
  AZ_CHECK(shape.blocks > 0 && shape.rows > 0 && shape.words > 0 && shape.actions > 0);
  const auto rows = static_cast<std::size_t>(shape.blocks) * static_cast<std::size_t>(shape.rows);
  planes_.resize(rows * static_cast<std::size_t>(shape.words));
  logits_.resize(rows * static_cast<std::size_t>(shape.actions));
  values_.resize(rows);
}

Result<EvalBatch> UniformEvaluator::Reserve(ModelId model, int rows, Deadline) {
  if (rows < 1 || rows > shape_.rows) {
    return Error{Errc::kInvalid,
                 StrCat("reserve ", rows, " rows: a block holds 1 to ", shape_.rows)};
  }
  const auto found = std::find(uses_.begin(), uses_.end(), Use::kUnused);
  if (found == uses_.end()) return Error{Errc::kTimeout, "no block free"};
  *found = Use::kReserved;
  const auto block = static_cast<std::size_t>(found - uses_.begin());
  const std::size_t row = block * static_cast<std::size_t>(shape_.rows);
  return EvalBatch(this, static_cast<int>(block), model, rows,
                   {.planes = planes_.data() + row * static_cast<std::size_t>(shape_.words),
                    .logits = logits_.data() + row * static_cast<std::size_t>(shape_.actions),
                    .values = values_.data() + row,
                    .words = shape_.words,
                    .actions = shape_.actions});
}

Result<void> UniformEvaluator::Submit(EvalBatch& batch) {
  Use& use = uses_[static_cast<std::size_t>(batch.block())];
  if (use != Use::kReserved) {
    return Error{Errc::kInvalid, StrCat("submit block ", batch.block(), ": submitted before")};
  }
  use = Use::kSubmitted;
  for (int i = 0; i < batch.rows(); ++i) {
    const EvalRow row = batch.row(i);
    std::fill(row.logits.begin(), row.logits.end(), 0.0f);
    *row.value = 0.0f;
  }
  return {};
}

Result<void> UniformEvaluator::Wait(EvalBatch& batch, Deadline) {
  AZ_CHECK(uses_[static_cast<std::size_t>(batch.block())] == Use::kSubmitted);
  batch.set_version(1);
  return {};
}

Result<int> UniformEvaluator::WaitAny(std::span<EvalBatch* const> batches, Deadline deadline) {
  if (batches.empty()) return Error{Errc::kTimeout, "no batch in flight"};
  AZ_RETURN_IF_ERROR(Wait(*batches.front(), deadline));
  return 0;
}

void UniformEvaluator::Release(int block) { uses_[static_cast<std::size_t>(block)] = Use::kUnused; }

}  // namespace az
