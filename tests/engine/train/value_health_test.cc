#include "engine/train/value_health.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/rng.h"

namespace az {
namespace {

// Values with outcomes that follow them to some degree.
std::vector<std::pair<double, double>> Pairs(int count) {
  Rng rng(7);
  std::vector<std::pair<double, double>> pairs;
  for (int i = 0; i < count; ++i) {
    const double value = 2 * rng.Uniform() - 1;
    const double draw = 2 * rng.Uniform() - 1;
    pairs.emplace_back(value, draw < value - 0.2 ? 1.0 : draw > value + 0.2 ? -1.0 : 0.0);
  }
  return pairs;
}

ValueHealth Of(const std::vector<std::pair<double, double>>& pairs) {
  ValueHealth health;
  for (const auto& [value, outcome] : pairs) health.Add(value, outcome);
  return health;
}

TEST(ValueHealth, MatchesTheTextbookFormulas) {
  const auto pairs = Pairs(5000);
  const ValueHealth health = Of(pairs);
  const auto n = static_cast<double>(pairs.size());
  double mean_v = 0, mean_z = 0, absolute = 0, brier = 0;
  for (const auto& [v, z] : pairs) {
    mean_v += v / n;
    mean_z += z / n;
    absolute += std::abs(v) / n;
    brier += std::pow((1 + v) / 2 - (1 + z) / 2, 2) / n;
  }
  double covariance = 0, variance_v = 0, variance_z = 0;
  for (const auto& [v, z] : pairs) {
    covariance += (v - mean_v) * (z - mean_z);
    variance_v += (v - mean_v) * (v - mean_v);
    variance_z += (z - mean_z) * (z - mean_z);
  }
  double error = 0;
  double count = 0;
  for (int bin = 0; bin < 10; ++bin) {
    const double low = -1 + 0.2 * bin;
    double v_sum = 0, z_sum = 0, in_bin = 0;
    for (const auto& [v, z] : pairs) {
      if (v < low || v >= low + 0.2) continue;
      ++in_bin;
      v_sum += v;
      z_sum += z;
    }
    const ValueHealth::Bin& found = health.bins()[static_cast<std::size_t>(bin)];
    EXPECT_NEAR(found.count, in_bin, 1) << "a value on the edge may round either way";
    EXPECT_NEAR(found.mean_predicted(), v_sum / in_bin, 1e-3);
    EXPECT_NEAR(found.mean_outcome(), z_sum / in_bin, 1e-2);
    error += std::abs(v_sum / in_bin - z_sum / in_bin) * in_bin / n;
    count += found.count;
  }
  EXPECT_EQ(count, n);
  EXPECT_NEAR(health.CalibrationError(), error, 1e-2);
  EXPECT_NEAR(health.MeanAbsolute(), absolute, 1e-9);
  EXPECT_NEAR(health.Brier(), brier, 1e-9);
  EXPECT_NEAR(health.Correlation().value(), covariance / std::sqrt(variance_v * variance_z), 1e-9);
}

TEST(ValueHealth, ASureAndRightHeadIsCalibratedAndASureAndWrongOneIsNot) {
  ValueHealth right;
  ValueHealth wrong;
  for (int i = 0; i < 100; ++i) {
    const double z = i % 2 == 0 ? 1 : -1;
    right.Add(z, z);
    wrong.Add(-z, z);
  }
  EXPECT_EQ(right.CalibrationError(), 0.0);
  EXPECT_NEAR(right.Correlation().value(), 1.0, 1e-12);
  EXPECT_EQ(right.Brier(), 0.0);
  EXPECT_EQ(wrong.CalibrationError(), 2.0);
  EXPECT_NEAR(wrong.Correlation().value(), -1.0, 1e-12);
  EXPECT_EQ(wrong.Brier(), 1.0);
}

TEST(ValueHealth, PartsAddUpAndNothingSaysNothing) {
  const auto pairs = Pairs(100);
  ValueHealth sum = Of({pairs.begin(), pairs.begin() + 37});
  sum += Of({pairs.begin() + 37, pairs.end()});
  const ValueHealth whole = Of(pairs);
  EXPECT_EQ(sum.count(), whole.count());
  EXPECT_NEAR(sum.CalibrationError(), whole.CalibrationError(), 1e-12);
  EXPECT_NEAR(sum.Correlation().value(), whole.Correlation().value(), 1e-12);
  const ValueHealth nothing;
  EXPECT_EQ(nothing.CalibrationError() + nothing.Brier(), 0.0);
  EXPECT_EQ(nothing.Correlation(), std::nullopt);
  ValueHealth still;
  still.Add(0.3, 1);
  still.Add(0.3, -1);
  EXPECT_EQ(still.Correlation(), std::nullopt) << "0 would say that it was measured";
  still.Add(1.0, 1);  // the upper edge is in the last bin
  EXPECT_EQ(still.bins()[9].count, 1.0);
}

}  // namespace
}  // namespace az
