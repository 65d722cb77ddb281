#include "engine/run/rate_meter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace az {
namespace {

using std::chrono::seconds;

// A fleet that does the same every second, from a beginning at which much was done already.
FleetTotals After(int elapsed_s) {
  const auto s = static_cast<std::uint64_t>(elapsed_s);
  FleetTotals totals;
  totals.device_rows = 7000 + 100 * s;
  totals.batches = 500 + 4 * s;
  totals.runner_busy_s = 60 + 1.5 * elapsed_s;
  totals.cache_lookups = 9000 + 200 * s;
  totals.cache_hits = 100 + 50 * s;
  return totals;
}

TEST(RateMeter, TellsDifferencesASecond) {
  const TimePoint start{seconds(1000)};
  RateMeter meter;
  meter.Start(start, After(0));
  for (const int elapsed : {1, 3, 20}) {
    const RateMeter::Rates rates = meter.Sample(start + seconds(elapsed), After(elapsed));
    EXPECT_DOUBLE_EQ(rates.evaluations_per_s, 100);
    EXPECT_DOUBLE_EQ(rates.mean_batch_rows, 25);
    EXPECT_DOUBLE_EQ(rates.busy_runners, 1.5);
    EXPECT_DOUBLE_EQ(rates.cache_hit_fraction, 0.25);
  }
}

TEST(RateMeter, WhenNothingIsDoneAllIsZero) {
  const TimePoint start{seconds(1000)};
  RateMeter meter;
  meter.Start(start, After(0));
  const RateMeter::Rates rates = meter.Sample(start + seconds(2), After(0));
  EXPECT_EQ(rates.evaluations_per_s, 0);
  EXPECT_EQ(rates.mean_batch_rows, 0);
  EXPECT_EQ(rates.busy_runners, 0);
  EXPECT_EQ(rates.cache_hit_fraction, 0);
}

// What was long ago is forgotten: after a change the new rate alone is shown within ten seconds.
TEST(RateMeter, FollowsAChange) {
  const TimePoint start{seconds(1000)};
  RateMeter meter;
  meter.Start(start, After(0));
  double shown = 0;
  for (int elapsed = 1; elapsed <= 31; ++elapsed) {
    FleetTotals totals = After(elapsed);
    if (elapsed > 20)
      totals.device_rows = 7000 + 2000 + 900 * static_cast<std::uint64_t>(elapsed - 20);
    shown = meter.Sample(start + seconds(elapsed), totals).evaluations_per_s;
    if (elapsed <= 20) {
      EXPECT_DOUBLE_EQ(shown, 100) << elapsed;
    }
  }
  EXPECT_DOUBLE_EQ(shown, 900);
}

}  // namespace
}  // namespace az
