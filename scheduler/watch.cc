#include "scheduler/watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace az {
namespace {

constexpr double kRearm = 0.05;  // distance below the threshold, as a share of the budget
constexpr double kRungShare = 0.95;
constexpr double kWorthCleaning = 0.05;  // cached memory, as a share of the budget
constexpr double kFragmented = 0.25;

Bytes Share(Bytes whole, double share) {
  return Bytes(std::llround(static_cast<double>(whole.count()) * share));
}

}  // namespace

std::string_view WatchStepName(WatchStep step) {
  switch (step) {
    case WatchStep::kNone:
      return "none";
    case WatchStep::kCleanUp:
      return "clean_up";
    case WatchStep::kSuggest:
      return "suggest";
    case WatchStep::kRung:
      return "rung";
    case WatchStep::kCalm:
      return "calm";
  }
  return "?";
}

ThresholdWatch::ThresholdWatch(const WatchOptions& options) { Replan(options); }

void ThresholdWatch::Replan(const WatchOptions& options) {
  options_ = options;
  threshold_ =
      std::max(Share(options.budget, options.threshold), options.predicted + options.guard / 2);
}

WatchStep ThresholdWatch::Sample(TimePoint now, Bytes used, Bytes cached) {
  is_too_high_ = used > std::max(threshold_, Share(options_.budget, kRungShare));
  if (is_too_high_ && !has_asked_) {
    is_above_ = has_asked_ = true;
    return WatchStep::kRung;
  }
  if (used < threshold_ - Share(options_.budget, kRearm)) {
    has_asked_ = has_suggested_ = false;
    return std::exchange(is_above_, false) ? WatchStep::kCalm : WatchStep::kNone;
  }
  if (used <= threshold_) return WatchStep::kNone;
  is_above_ = true;
  const bool is_worth_it = cached >= Share(options_.budget, kWorthCleaning);
  const Duration interval = options_.cleanup_interval;
  if (is_worth_it && interval > Duration::zero() && (!cleaned_ || now - *cleaned_ >= interval)) {
    cleaned_ = now;
    return WatchStep::kCleanUp;
  }
  if (is_worth_it || has_suggested_) return WatchStep::kNone;
  has_suggested_ = true;
  return WatchStep::kSuggest;
}

std::optional<double> Fragmentation(std::optional<Bytes> inactive_split,
                                    std::optional<Bytes> reserved) {
  if (!inactive_split || !reserved) return {};
  if (*reserved <= Bytes()) return 0.0;
  return static_cast<double>(inactive_split->count()) / static_cast<double>(reserved->count());
}

bool FragmentationWatch::Sample(std::optional<double> fragmentation,
                                std::optional<std::int64_t> retries) {
  if (!fragmentation || !retries) return false;
  const bool rises = *retries > retries_;
  retries_ = *retries;
  if (*fragmentation <= kFragmented) {
    has_warned_ = false;
    return false;
  }
  return rises && !std::exchange(has_warned_, true);
}

}  // namespace az
