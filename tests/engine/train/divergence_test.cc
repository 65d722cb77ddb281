#include "engine/train/divergence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/train/loss.h"

namespace az {
namespace {

constexpr double kIgnorance = 3.0;

DivergenceWatch After(int steps, double loss) {
  DivergenceWatch watch(kIgnorance);
  for (int i = 0; i < steps; ++i) EXPECT_FALSE(watch.Explodes(loss)) << i;
  return watch;
}

TEST(LossOfIgnorance, IsThatOfEvenAnswers) {
  EXPECT_NEAR(LossOfIgnorance({.policy = 1, .value = 1, .value_mix = 0}, 9),
              std::log(9.0) + std::log(3.0), 1e-12);
  EXPECT_NEAR(LossOfIgnorance({.policy = 2, .value = 1, .value_mix = 1}, 9),
              2 * std::log(9.0) + kRootValueScale, 1e-12);
  EXPECT_NEAR(LossOfIgnorance({.policy = 0, .value = 3, .value_mix = 0}, 9), 3 * std::log(3.0),
              1e-12);
}

TEST(DivergenceWatch, ThreeStepsInARowFarAboveIgnoranceAreAnExplosion) {
  DivergenceWatch watch(kIgnorance);
  EXPECT_FALSE(watch.Explodes(7));
  EXPECT_FALSE(watch.Explodes(800));
  EXPECT_FALSE(watch.Explodes(5.9)) << "below the limit: it starts again";
  EXPECT_FALSE(watch.Explodes(7));
  EXPECT_FALSE(watch.Explodes(7));
  EXPECT_TRUE(watch.Explodes(7));
}

TEST(DivergenceWatch, ALearnedNetworkIsHeldToItsMedian) {
  EXPECT_DOUBLE_EQ(After(31, 1.2).limit(), 6.0);
  EXPECT_DOUBLE_EQ(After(32, 1.2).limit(), 3.6);
  EXPECT_DOUBLE_EQ(After(32, 0.1).limit(), 3.0) << "a hard batch of an easy game is no explosion";
  EXPECT_DOUBLE_EQ(After(32, 2.5).limit(), 6.0);
  DivergenceWatch watch = After(100, 1.2);
  EXPECT_FALSE(watch.Explodes(4));
  EXPECT_FALSE(watch.Explodes(4));
  EXPECT_TRUE(watch.Explodes(4));
}

TEST(DivergenceWatch, OrdinaryTrainingNeverExplodes) {
  DivergenceWatch watch(kIgnorance);
  for (int i = 0; i < 500; ++i) {
    const double noise = 0.5 * std::sin(i * 1.7);
    EXPECT_FALSE(watch.Explodes(1.0 + 2.0 * std::exp(-i / 50.0) + noise)) << i;
  }
  EXPECT_FALSE(watch.EndsIgnorant());
}

TEST(DivergenceWatch, KnowsWhenTheEndIsWorseThanKnowingNothing) {
  EXPECT_FALSE(After(31, 3.1).EndsIgnorant()) << "too few steps to say";
  EXPECT_TRUE(After(32, 3.1).EndsIgnorant());
  EXPECT_FALSE(After(32, 2.9).EndsIgnorant());
  DivergenceWatch watch = After(40, 3.1);
  watch.Forget();
  EXPECT_FALSE(watch.EndsIgnorant());
  EXPECT_DOUBLE_EQ(watch.limit(), 6.0);
}

TEST(RateCut, FiveReturnsReachARateFarTooHigh) {
  EXPECT_DOUBLE_EQ(RateCut(1), 0.5);
  double rate = 10;
  for (int returns = 1; returns <= 5; ++returns) rate *= RateCut(returns);
  EXPECT_LT(rate, 1e-3);
}

}  // namespace
}  // namespace az
