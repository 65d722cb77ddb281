#pragma once
// The formulas of the optimizer over a run: learning rate, averaging. Pure functions over
// numbers, used by the learner. Nothing here keeps state.

#include <cstdint>

#include "engine/config/options.h"

namespace az {

struct SamplePlan {
  double whole = 1;   // samples of the run
  double behind = 0;  // share of them that the iterations before this one were to be
};

// Samples the whole run will train on, extrapolated from what its first `iteration` iterations come
// to (this one included). The plan sharpens as the run goes on and is exact at its end, so that the
// cosine ends with the run. REQUIRES: 0 < iteration.
SamplePlan PlanSamples(std::int64_t samples_after_iteration, std::uint32_t iteration,
                       int iterations);

// The rate of a step that ends after `samples` samples of the run. Its share of the plan is at
// least `behind`: an iteration larger than those before, with which the whole looks longer, does
// not set the schedule back. Linear warm-up over options.warmup_fraction of the plan, then
// constant, a cosine down to options.lr_final_fraction, or options.lr_steps drops by the same
// factor down to it, which cut the rest of the plan into equal spans. Never above options.lr,
// beyond the plan its end value.
double LearningRate(const TrainOptions& options, std::int64_t samples, const SamplePlan& plan);

// d of ema += (1 - d) * (weights - ema) after step `step` (1, 2, …): min(exp(-batch / ema_span), (1
// + step) / (10 + step)). The second term keeps the first steps' random weights out of the average.
// 0, no averaging, when ema_span is 0.
double EmaDecay(const TrainOptions& options, std::int64_t step);

}  // namespace az
