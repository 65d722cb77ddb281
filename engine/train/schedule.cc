#include "engine/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace az {

std::int64_t PlannedSamples(std::int64_t samples_after_iteration, std::uint32_t iteration,
                            int iterations) {
  AZ_CHECK(iteration > 0);
  const double share = std::max(1.0, static_cast<double>(iterations) / iteration);
  return std::max<std::int64_t>(1,
                                std::llround(share * static_cast<double>(samples_after_iteration)));
}

double LearningRate(const TrainOptions& options, std::int64_t samples, std::int64_t planned) {
  const double peak = options.lr;
  const double warmup = options.warmup_fraction;
  const double progress = std::clamp(
      static_cast<double>(samples) / static_cast<double>(std::max<std::int64_t>(1, planned)), 0.0,
      1.0);
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
      const double drop = std::min(drops, std::floor(past_warmup * (drops + 1.0)));
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
