#pragma once
// RateMeter: what the fleet does a second, for the display.

#include <optional>
#include <utility>

#include "base/clock.h"
#include "engine/run/fleet_totals.h"

namespace az {

// Rates over the last seconds, from the fleet's running totals. Thread-compatible.
class RateMeter {
 public:
  struct Rates {
    double evaluations_per_s = 0;
    double mean_batch_rows = 0;
    double busy_runners = 0;  // runners at work on average
    double cache_hit_fraction = 0;
  };
  void Start(TimePoint now, const FleetTotals& totals);
  // Over the time since Start, or since the last sample at least five seconds old.
  Rates Sample(TimePoint now, const FleetTotals& totals);

 private:
  TimePoint since_{};
  FleetTotals base_;
  std::optional<std::pair<TimePoint, FleetTotals>> next_;
};

}  // namespace az
