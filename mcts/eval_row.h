#pragma once
// EvalRow: where one position waits for the network. The memory belongs to the evaluator that
// handed the row out.

#include <cstdint>
#include <span>

namespace az {

struct EvalRow {
  std::span<std::uint64_t>
      planes;               // in:  bit planes of the position, side-to-move view (games/game.h)
  std::span<float> logits;  // out: num_actions floats, neither masked nor softmaxed
  float* value = nullptr;   // out: expected outcome for the side to move, [-1, +1]
};

}  // namespace az
