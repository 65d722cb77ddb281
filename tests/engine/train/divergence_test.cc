#include "engine/train/divergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/train/loss.h"

namespace az {
namespace {

constexpr double kIgnorance = 3.0;
using Blame = RateGuard::Blame;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

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

TEST(LossOfIgnorance, HasTheTermsOfItsHeads) {
  const JudgedLoss loss =
      JudgedLoss::OfIgnorance({.policy = 2, .value = 3, .value_mix = 0.25, .opponent = 1}, 9);
  EXPECT_NEAR(loss.policy, 2 * std::log(9.0), 1e-12);
  EXPECT_NEAR(loss.value, 3 * (0.75 * std::log(3.0) + 0.25 * kRootValueScale), 1e-12);
  EXPECT_NEAR(loss.whole, loss.policy + loss.value + std::log(9.0), 1e-12);
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

TEST(DivergenceWatch, SkippedStepsAreBadOnes) {
  DivergenceWatch watch(kIgnorance);
  EXPECT_FALSE(watch.Explodes({}));
  EXPECT_FALSE(watch.Explodes({}));
  EXPECT_TRUE(watch.Explodes({})) << "three that were not finite";
  watch.Forget();
  EXPECT_FALSE(watch.Explodes(7));
  EXPECT_FALSE(watch.Explodes({})) << "does not end the row";
  EXPECT_TRUE(watch.Explodes(7));
  watch.Forget();
  EXPECT_FALSE(watch.Explodes({}));
  EXPECT_FALSE(watch.Explodes({}));
  EXPECT_FALSE(watch.Explodes(1)) << "a good step does";
  EXPECT_FALSE(watch.Explodes({}));
  EXPECT_FALSE(watch.Explodes({}));
  EXPECT_FALSE(watch.Explodes(1));
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
  watch.Forget();
  EXPECT_DOUBLE_EQ(watch.limit(), 6.0);
}

TEST(DivergenceWatch, OrdinaryTrainingNeverExplodes) {
  DivergenceWatch watch(kIgnorance);
  for (int i = 0; i < 500; ++i) {
    const double noise = 0.5 * std::sin(i * 1.7);
    EXPECT_FALSE(watch.Explodes(1.0 + 2.0 * std::exp(-i / 50.0) + noise)) << i;
  }
}

TEST(EndedDiverged, ComparesTheEndWithTheStart) {
  struct Case {
    const char* what;
    double before;
    double after;
    bool diverged;
  };
  const Case cases[] = {
      {"learned", 2.9, 1.0, false},
      {"nothing learned", 1.0, 1.0, false},
      {"a harder batch's worth", 1.0, 1.3, false},
      {"lost less than half of what it knew", 1.0, 1.9, false},
      {"lost more", 1.0, 2.1, true},
      {"knows nothing any more", 1.0, 3.0, true},
      {"knew little, moved little", 2.9, 3.0, false},
      {"worse than knowing nothing", 2.9, 3.2, true},
      {"began ignorant and got worse", 3.3, 3.4, true},
      {"began ignorant, is better", 3.3, 3.2, false},
      {"began ignorant, is as it was but for noise", 3.3, 3.32, false},
      {"not finite", 1.0, kNaN, true},
      {"infinite", 1.0, std::numeric_limits<double>::infinity(), true},
      {"was not finite before either", kNaN, kNaN, true},
      {"was not finite, is now", kNaN, 1.0, false},
      {"was not finite, knows nothing now", kNaN, 4.0, true},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(EndedDiverged(c.before, c.after, kIgnorance), c.diverged) << c.what;
  }
}

TEST(RateGuard, ReturnsToOneCheckpointCutEverDeeperDownToAFloor) {
  RateGuard rate;
  for (const double left : {1.0 / 2, 1.0 / 8, 1.0 / 64, 1.0 / 1024, RateGuard::kLeast}) {
    EXPECT_FALSE(rate.must_give_up());
    rate.OnReturn(Blame::kTraining);
    EXPECT_DOUBLE_EQ(rate.factor, left);
  }
  EXPECT_FALSE(rate.must_give_up()) << "five";
  rate.OnReturn(Blame::kTraining);
  EXPECT_TRUE(rate.must_give_up());
}

TEST(RateGuard, ClimbsBackAsTrainingsEndWell) {
  RateGuard rate;
  rate.OnReturn(Blame::kTraining);
  rate.OnReturn(Blame::kTraining);
  EXPECT_DOUBLE_EQ(rate.factor, 1.0 / 8);
  rate.OnGoodEnd(0);  // of the training that went back
  EXPECT_EQ(rate.returns, 0);
  const double climb[] = {0.125, 0.125, 0.25, 0.25, 0.25, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0};
  for (const double factor : climb) {
    rate.OnGoodEnd(0);
    EXPECT_DOUBLE_EQ(rate.factor, factor);
  }
  EXPECT_EQ(rate, RateGuard{});
  rate.OnReturn(Blame::kTraining);
  EXPECT_DOUBLE_EQ(rate.factor, 0.5) << "what was long ago costs nothing";
}

TEST(RateGuard, ADeviceThatFailsCostsNoRate) {
  RateGuard rate;
  for (int i = 0; i < 10; ++i) rate.OnReturn(Blame::kDevice);
  EXPECT_EQ(rate, RateGuard{});
  rate.OnReturn(Blame::kTraining);
  EXPECT_DOUBLE_EQ(rate.factor, 0.5) << "nor does it deepen a cut";
}

TEST(RateGuard, AReturnStartsTheClimbAnew) {
  RateGuard rate;
  rate.OnReturn(Blame::kTraining);
  for (int i = 0; i < 3; ++i) rate.OnGoodEnd(0);
  EXPECT_DOUBLE_EQ(rate.factor, 0.5) << "the first of them had the return";
  rate.OnReturn(Blame::kTraining);
  EXPECT_DOUBLE_EQ(rate.factor, 0.25);
  for (int i = 0; i < 3; ++i) rate.OnGoodEnd(0);
  EXPECT_DOUBLE_EQ(rate.factor, 0.25);
  rate.OnGoodEnd(0);
  EXPECT_DOUBLE_EQ(rate.factor, 0.5);
}

TEST(RateGuard, RemembersWhatWasKnownLately) {
  RateGuard rate;
  rate.OnGoodEnd(0.5);
  rate.OnGoodEnd(0.2);
  EXPECT_DOUBLE_EQ(rate.known, 0.45);
  rate.OnGoodEnd(0.6);
  EXPECT_DOUBLE_EQ(rate.known, 0.6);
  rate.OnReturn(Blame::kDevice);
  EXPECT_DOUBLE_EQ(rate.known, 0.6);
  rate.OnReturn(Blame::kTraining);
  EXPECT_EQ(rate.known, 0) << "else it would go back for good";
}

TEST(FindDivergence, OneHeadCannotHideBehindAnother) {
  constexpr JudgedLoss kKnowsNothing = {.whole = 3.0, .policy = 2.0, .value = 1.0};
  constexpr JudgedLoss kBefore = {.whole = 1.5, .policy = 1.2, .value = 0.3};
  EXPECT_FALSE(FindDivergence(kBefore, kBefore, kKnowsNothing, 0));
  const JudgedLoss value_lost = {.whole = 1.5, .policy = 0.7, .value = 0.8};
  const auto value = FindDivergence(kBefore, value_lost, kKnowsNothing, 0);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->what, "value loss");
  EXPECT_EQ(value->before, 0.3);
  const JudgedLoss policy_lost = {.whole = 1.9, .policy = 1.8, .value = 0.1};
  const auto policy = FindDivergence(kBefore, policy_lost, kKnowsNothing, 0);
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->what, "policy loss");
  EXPECT_FALSE(FindDivergence({.whole = 2, .value = 2}, {.whole = 1, .value = 1},
                              {.whole = 3, .value = 3}, 0))
      << "a policy that is not trained";
}

// A quarter of what is known goes with every training: none is a half, the four of them are.
TEST(FindDivergence, SlowLossesAddUp) {
  RateGuard rate;
  const auto judged = [](double known) { return JudgedLoss{.whole = kIgnorance * (1 - known)}; };
  rate.OnGoodEnd(0.8);
  int trainings = 0;
  for (double known = 0.8; trainings < 10; ++trainings) {
    const double now = 0.75 * known;
    EXPECT_FALSE(FindDivergence(judged(known), judged(now), {.whole = kIgnorance}, 0)) << "alone";
    if (FindDivergence(judged(known), judged(now), {.whole = kIgnorance}, rate.known)) break;
    known = now;
    rate.OnGoodEnd(KnownShare(judged(now).whole, kIgnorance));
  }
  EXPECT_EQ(trainings, 3);
}

TEST(FindDivergence, WhatLearningFluctuatesByIsForgiven) {
  RateGuard rate;
  double before = 0.3;
  for (int i = 0; i < 100; ++i) {
    const double known = 0.5 + 0.15 * std::sin(i * 1.7);
    EXPECT_FALSE(FindDivergence({.whole = kIgnorance * (1 - before)},
                                {.whole = kIgnorance * (1 - known)}, {.whole = kIgnorance},
                                rate.known))
        << i;
    rate.OnGoodEnd(known);
    before = known;
  }
}

}  // namespace
}  // namespace az
