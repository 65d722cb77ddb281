#include "engine/run/rate_meter.h"

#include <algorithm>

namespace az {

void RateMeter::Start(TimePoint now, const FleetTotals& totals) {
  since_ = now;
  base_ = totals;
  next_.reset();
}

RateMeter::Rates RateMeter::Sample(TimePoint now, const FleetTotals& totals) {
  constexpr double kWindow_s = 5.0;
  const double seconds = std::max(1e-3, Seconds(now - since_));
  const auto difference = [](std::uint64_t after, std::uint64_t before) {
    return after > before ? static_cast<double>(after - before) : 0.0;
  };
  Rates rates;
  rates.evaluations_per_s = difference(totals.device_rows, base_.device_rows) / seconds;
  const double batches = difference(totals.batches, base_.batches);
  rates.mean_batch_rows =
      batches > 0 ? difference(totals.device_rows, base_.device_rows) / batches : 0.0;
  rates.busy_runners = std::max(0.0, totals.runner_busy_s - base_.runner_busy_s) / seconds;
  const double lookups = difference(totals.cache_lookups, base_.cache_lookups);
  rates.cache_hit_fraction =
      lookups > 0 ? difference(totals.cache_hits, base_.cache_hits) / lookups : 0.0;
  // Two overlapping windows: the older one is dropped when the newer one is long enough to be
  // shown.
  if (!next_) {
    if (seconds >= kWindow_s) next_ = {now, totals};
  } else if (Seconds(now - next_->first) >= kWindow_s) {
    since_ = next_->first;
    base_ = next_->second;
    next_ = {now, totals};
  }
  return rates;
}

}  // namespace az
