#pragma once
// LearnerState: everything a training step reads and writes, and so everything a checkpoint must
// hold to go on bit for bit. learner_checkpoint.h writes it; the learner moves it.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "engine/train/divergence.h"
#include "engine/train/flat_layout.h"
#include "scheduler/net_shape.h"

namespace az {

// Arrays are flat (flat_layout.h), float32, on the learner's device. Thread-compatible; copies
// share the arrays, Clone does not.
struct LearnerState {
  at::Tensor weights;             // what is trained
  at::Tensor statistics;          // running statistics of its batch norms
  at::Tensor average;             // exponential moving average of weights: what plays
  at::Tensor average_statistics;  // batch-norm statistics re-estimated for `average`
  at::Tensor first_moment;        // AdamW
  at::Tensor second_moment;

  std::int64_t steps = 0;          // optimizer steps taken
  std::int64_t samples = 0;        // rows of those steps
  std::int64_t skipped_steps = 0;  // given up for a loss or gradient that was not finite
  RateGuard rate;                  // what is left of the schedule's

  // A fresh network's, average = weights. The draws depend on `seed` alone.
  static LearnerState Fresh(const NetShape& shape, std::uint64_t seed);
  LearnerState Clone() const;
  void MoveTo(at::Device device);
};

}  // namespace az
