#include "base/stats.h"

#include <gtest/gtest.h>

#include <vector>

namespace az {
namespace {

TEST(Stats, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(Median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(Median(std::vector<double>{4, 1, 2, 3}), 2.5);
  EXPECT_EQ(Median(std::vector<double>{7}), 7);
}

TEST(Stats, QuantilesInterpolate) {
  const std::vector<double> values = {10, 20, 30, 40, 50};
  EXPECT_EQ(Quantile(values, 0), 10);
  EXPECT_EQ(Quantile(values, 1), 50);
  EXPECT_DOUBLE_EQ(Quantile(values, 0.1), 14);
}

TEST(Stats, WilsonAgreesWithPublishedIntervals) {
  // 10 of 20 at 95 %: [0.299, 0.701]; 0 of 10: [0, 0.278] (Newcombe 1998, method 3).
  const Interval half = WilsonInterval(10, 20);
  EXPECT_NEAR(half.low, 0.2993, 1e-4);
  EXPECT_NEAR(half.high, 0.7007, 1e-4);
  const Interval none = WilsonInterval(0, 10);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.2775, 1e-4);
}

TEST(Stats, WilsonEndsExactlyWhereEverythingOrNothingSucceeded) {
  for (int trials = 1; trials <= 2000; ++trials) {
    EXPECT_EQ(WilsonInterval(trials, trials).high, 1.0) << trials;
    EXPECT_EQ(WilsonInterval(0, trials).low, 0.0) << trials;
  }
}

TEST(Ewma, FirstSampleCountsInFull) {
  Ewma mean(0.25);
  EXPECT_EQ(mean.count(), 0);
  mean.Add(8);
  EXPECT_EQ(mean.value(), 8);
  mean.Add(4);
  EXPECT_EQ(mean.value(), 7);
  EXPECT_EQ(mean.count(), 2);
}

}  // namespace
}  // namespace az
