#include "engine/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace az {

SamplePlan PlanSamples(std::int64_t samples_after_iteration, std::uint32_t iteration,
                       int iterations) {
  AZ_CHECK(iteration > 0);
  const double all = std::max(static_cast<double>(iterations), static_cast<double>(iteration));
  const double whole = all * static_cast<double>(samples_after_iteration) / iteration;
  return {.whole = std::max(1.0, whole), .behind = (iteration - 1) / all};
}

double LearningRate(const TrainOptions& options, std::int64_t samples, const SamplePlan& plan) {
  const double peak = options.lr;
  const double warmup = options.warmup_fraction;
  const double progress =
      std::clamp(std::max(static_cast<double>(samples) / plan.whole, plan.behind), 0.0, 1.0);
  if (progress < warmup) return peak * progress / warmup;
  const double past_warmup = warmup < 1.0 ? (progress - warmup) / (1.0 - warmup) : 1.0;
  switch (options.lr_schedule) {
    case LrSchedule::kConstant:
      return peak;
    case LrSchedule::kCosine: {
      const double share = 0.5 * (1.0 + std::cos(std::numbers::pi * past_warmup));
      return peak * (options.lr_final_fraction + (1.0 - options.lr_final_fraction) * share);
    }
    case LrSchedule::kSteps: {
      const double drops = options.lr_steps;
      // The end of an iteration and the start of the next may differ by a rounding.
      const double drop = std::min(drops, std::floor(past_warmup * (drops + 1.0) + 1e-9));
      return peak * std::pow(static_cast<double>(options.lr_final_fraction), drop / drops);
    }
  }
  return peak;
}

double EmaDecay(const TrainOptions& options, std::int64_t step) {
  if (options.ema_span <= 0.0f) return 0.0;
  const double k = static_cast<double>(step);
  return std::min(std::exp(-static_cast<double>(options.batch) / options.ema_span),
                  (1.0 + k) / (10.0 + k));
}

}  // namespace az
