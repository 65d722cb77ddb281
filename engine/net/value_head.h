#pragma once
// The last step of every inference form on a CPU, in float32: hidden units -> win, draw, loss ->
// p_win - p_loss.

#include <vector>

#include "engine/net/folded_net.h"

namespace az {

// Immutable; Thread-safe.
class ValueHead {
 public:
  explicit ValueHead(const FoldedLinear& linear);  // REQUIRES: three outputs
  int hidden() const { return hidden_; }

  // hidden: [rows][stride], hidden units first, after the ReLU; values: [rows].
  void Values(const float* hidden, int rows, int stride, float* values) const;

 private:
  int hidden_ = 0;
  std::vector<float> weights_;  // [3][hidden]
  std::vector<float> bias_;     // [3]
};

}  // namespace az
