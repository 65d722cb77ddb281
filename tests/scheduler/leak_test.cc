#include "scheduler/leak.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.h"

namespace az {
namespace {

// Normal noise of this deviation.
Bytes Noise(Rng& rng, Bytes deviation) {
  return Bytes(std::llround(rng.Normal() * static_cast<double>(deviation.count())));
}

// What a healthy process shows: it warms up, fills its caches, now and then takes a larger buffer
// for good.
Bytes CleanFigure(Rng& rng, int iteration, int step_at, Bytes step) {
  Bytes figure = MiB(400);
  if (iteration == 0) figure -= MiB(90);  // the first iteration has seen little yet
  if (iteration == 1) figure -= MiB(10);
  if (iteration >= step_at) figure += step;
  return figure + Noise(rng, KiB(300));
}

TEST(Leak, OneMebibyteAnIterationIsFlaggedWithinSeven) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    LeakSeries series({});
    int flagged_at = 0;
    for (int iteration = 1; flagged_at == 0; ++iteration) {
      ASSERT_LE(iteration, 7) << "seed " << seed;
      const auto trend = series.Add(MiB(500) + iteration * MiB(1) + Noise(rng, KiB(100)));
      if (!trend) continue;
      flagged_at = iteration;
      EXPECT_NEAR(trend->slope, 1048576, 200e3);
      EXPECT_EQ(IterationsLeft(*trend, MiB(20)).value(),
                static_cast<std::int64_t>(20 * 1048576.0 / trend->slope));
    }
    EXPECT_EQ(flagged_at, 7);
  }
}

TEST(Leak, FiftyCleanRunsRaiseNoAlarm) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    LeakSeries series({});
    const int step_at = 3 + static_cast<int>(rng.Below(30));
    const Bytes step = KiB(rng.Below(50 << 10));
    for (int iteration = 0; iteration < 40; ++iteration) {
      EXPECT_FALSE(series.Add(CleanFigure(rng, iteration, step_at, step)))
          << "seed " << seed << " iteration " << iteration << " step at " << step_at;
    }
  }
}

TEST(Leak, ASlowLeakUnderNoiseIsFoundLater) {
  Rng rng(7);
  LeakSeries series({.slope = KiB(512)});
  int iteration = 0;
  while (!series.Add(MiB(500) + iteration * KiB(900) + Noise(rng, KiB(700)))) {
    ASSERT_LT(++iteration, 40);
  }
  EXPECT_GT(iteration, 6);
}

TEST(Leak, BelowTheThresholdNothingIsSaid) {
  LeakSeries series({.slope = KiB(512)});
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(series.Add(MiB(100) + i * KiB(500)));
}

TEST(Leak, ARestartedProcessWarmsUpAgain) {
  LeakSeries series({});
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(series.Add(MiB(100 + i)));
  series.Restart();
  EXPECT_EQ(series.samples(), 0);
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(series.Add(MiB(100 + i)));
  EXPECT_TRUE(series.Add(MiB(106)));
}

TEST(Leak, TheTrendIsTheMedianOfAllPairs) {
  const std::vector<Bytes> values = {Bytes(0), Bytes(10), Bytes(20), Bytes(1000), Bytes(40)};
  const Trend trend = FitTrend(values);
  EXPECT_DOUBLE_EQ(trend.slope, 10);  // one wild point moves nothing
  EXPECT_DOUBLE_EQ(trend.noise, 0);
  EXPECT_EQ(trend.points, 5);
  EXPECT_DOUBLE_EQ(trend.rising_fraction, 0.9);
  EXPECT_GT(trend.step_fraction, 1);
  EXPECT_FALSE(IterationsLeft({.slope = -1}, MiB(1)));
}

}  // namespace
}  // namespace az
