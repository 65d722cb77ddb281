#pragma once
// Rows answered without a network: all moves alike, value 0. For tests and benchmarks of the
// search.

#include <algorithm>
#include <span>

#include "mcts/eval_row.h"

namespace az {

inline void FillUniform(std::span<const EvalRow> rows) {
  for (const EvalRow& row : rows) {
    std::ranges::fill(row.logits, 0.0f);
    *row.value = 0.0f;
  }
}

}  // namespace az
