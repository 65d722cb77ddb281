#include "mcts/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.h"

namespace az {
namespace {

TEST(ExpOfNegative, IsCloseToExp) {
  for (double x = 0.0; x > -87.0; x -= 0.00371) {
    const auto argument = static_cast<float>(x);
    const double exact = std::exp(static_cast<double>(argument));
    EXPECT_NEAR(static_cast<double>(ExpOfNegative(argument)) / exact, 1.0, 3e-7) << x;
  }
  EXPECT_EQ(ExpOfNegative(0.0f), 1.0f);
  EXPECT_EQ(ExpOfNegative(-88.0f), 0.0f);
  EXPECT_EQ(ExpOfNegative(-3e38f), 0.0f);
}

TEST(Softmax, AgreesWithTheDefinition) {
  Rng rng(1);
  for (std::size_t count = 1; count < 60; ++count) {
    std::vector<float> values(PaddedToLanes(count), 1e30f);  // padding must not matter
    std::vector<double> exact(count);
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = static_cast<float>(20.0 * rng.Uniform() - 10.0);
      exact[i] = std::exp(static_cast<double>(values[i]));
      sum += exact[i];
    }
    Softmax(values, count);
    double total = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_NEAR(static_cast<double>(values[i]), exact[i] / sum, 1e-6);
      total += static_cast<double>(values[i]);
    }
    EXPECT_NEAR(total, 1.0, 1e-6);
  }
}

TEST(Softmax, StandsHugeLogits) {
  std::vector<float> values = {3e38f, -3e38f, 3e38f, 0, 0, 0, 0, 0};
  Softmax(values, 3);
  EXPECT_EQ(values[0], 0.5f);
  EXPECT_EQ(values[1], 0.0f);
  EXPECT_EQ(values[2], 0.5f);
}

TEST(RoundToBfloat16, RoundsToNearestEven) {
  // bfloat16 keeps 7 bits of fraction: steps of 2^-7 above 1.
  std::vector<float> values = {1.0f, 1.0f + 0x1p-9f, 1.0f + 0x1p-8f, 1.0f + 0x3p-8f,
                               -1.0f - 0x3p-9f};
  const std::vector<float> expected = {1.0f, 1.0f, 1.0f, 1.0f + 0x1p-6f, -1.0f - 0x1p-7f};
  EXPECT_TRUE(RoundToBfloat16(values));
  EXPECT_EQ(values, expected);
  EXPECT_TRUE(RoundToBfloat16(values));
  EXPECT_EQ(values, expected) << "rounding twice changes nothing";
}

TEST(RoundToBfloat16, RefusesWhatIsNotFinite) {
  const auto accepts = [](float value) {
    std::vector<float> values = {0.0f, value, 1.0f};
    return RoundToBfloat16(values);
  };
  EXPECT_FALSE(accepts(std::numeric_limits<float>::quiet_NaN()));
  EXPECT_FALSE(accepts(-std::nanf("0x3fffff")));
  EXPECT_FALSE(accepts(std::numeric_limits<float>::infinity()));
  EXPECT_FALSE(accepts(-std::numeric_limits<float>::infinity()));
  EXPECT_FALSE(accepts(std::numeric_limits<float>::max())) << "rounds to infinity";
  EXPECT_TRUE(accepts(3.3e38f));
  EXPECT_TRUE(accepts(std::numeric_limits<float>::denorm_min()));
}

}  // namespace
}  // namespace az
