#include "engine/ipc/evaluator.h"

#include <cstddef>
#include <utility>

#include "base/check.h"

namespace az {

EvalBatch& EvalBatch::operator=(EvalBatch&& other) noexcept {
  if (this == &other) return *this;
  Reset();
  owner_ = std::exchange(other.owner_, nullptr);
  block_ = std::exchange(other.block_, -1);
  model_ = other.model_;
  rows_ = std::exchange(other.rows_, 0);
  layout_ = other.layout_;
  version_ = other.version_;
  request_ = other.request_;
  return *this;
}

void EvalBatch::Reset() {
  if (owner_ == nullptr) return;
  std::exchange(owner_, nullptr)->Release(std::exchange(block_, -1));
  rows_ = 0;
}

EvalRow EvalBatch::row(int i) const {
  AZ_CHECK(i >= 0 && i < rows_) << "row " << i << " of " << rows_;
  const auto at = static_cast<std::size_t>(i);
  const auto words = static_cast<std::size_t>(layout_.words);
  const auto actions = static_cast<std::size_t>(layout_.actions);
  return EvalRow{std::span(layout_.planes + at * words, words),
                 std::span(layout_.logits + at * actions, actions), layout_.values + at};
}

void EvalBatch::Shrink(int rows) {
  AZ_CHECK(rows > 0 && rows <= rows_) << "shrink to " << rows << " of " << rows_;
  rows_ = rows;
}

}  // namespace az
