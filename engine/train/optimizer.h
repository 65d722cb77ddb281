#pragma once
// Optimizer: the update of a training step, AdamW in one fused kernel over the flat arrays, then
// the moving average. It allocates no tensor memory, so memory cannot run out half-way: whatever a
// step was refused, it was refused before the first weight changed.

#include <ATen/core/Tensor.h>

#include "engine/config/options.h"
#include "engine/train/flat_layout.h"
#include "engine/train/learner_state.h"

namespace az {

// Confined to one thread.
class Optimizer {
 public:
  // `device`: of the states to come.
  Optimizer(const TrainOptions& options, const FlatLayout& layout, at::Device device);

  // Multiplies `gradient` (flat, changed) by `scale`, moves weights, moments, average and the
  // number of steps. May throw what LibTorch throws; the state is worthless then.
  void Update(LearnerState& state, at::Tensor& gradient, double scale, double rate);

 private:
  const TrainOptions options_;
  const std::int64_t decayed_;
  const std::int64_t weight_count_;
  at::Tensor step_;   // float32 scalar, as the fused kernel wants it
  at::Tensor scale_;  // float32 scalar: a plain number would be made one, in new memory
};

// Length of the last update over length of the weights that it changed, worked out from the moments
// that it left. `rate`: of that update, LearnerState::rate included. Allocates nothing.
// REQUIRES: a state on the CPU after at least one step, its arrays contiguous.
double UpdateWeightRatio(const LearnerState& state, const TrainOptions& options,
                         const FlatLayout& layout, double rate);

}  // namespace az
