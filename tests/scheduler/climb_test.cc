#include "scheduler/climb.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace az {
namespace {

constexpr ClimbOptions kThree{.climb_after = 3};

int IterationsToClimb(ClimbState& state) {
  int iterations = 1;
  while (!EndIteration(state, kThree, true)) ++iterations;
  Climb(state);
  return iterations;
}

TEST(Climb, WaitsTwiceAsLongAfterEachFurtherFailure) {
  ClimbState state;
  for (const int wait : {3, 6, 12, 24, 48}) {
    TakeRung(state);
    EXPECT_EQ(ClimbWait(state, kThree), wait);
    EXPECT_EQ(IterationsToClimb(state), wait);
    EXPECT_EQ(state.rungs, 0);
  }
}

TEST(Climb, AFailureInBetweenStartsTheCountAnew) {
  ClimbState state;
  TakeRung(state);
  EXPECT_FALSE(EndIteration(state, kThree, true));
  EXPECT_FALSE(EndIteration(state, kThree, true));
  EXPECT_FALSE(EndIteration(state, kThree, false));
  EXPECT_FALSE(EndIteration(state, kThree, true));
  EXPECT_FALSE(EndIteration(state, kThree, true));
  EXPECT_TRUE(EndIteration(state, kThree, true));
}

TEST(Climb, EachHeightRemembersItsOwnFailures) {
  ClimbState state;
  TakeRung(state);
  TakeRung(state);
  EXPECT_EQ(IterationsToClimb(state), 3);
  TakeRung(state);  // one rung below the plan fails again, the plan itself has failed once
  EXPECT_EQ(IterationsToClimb(state), 6);
  EXPECT_EQ(IterationsToClimb(state), 3);
  EXPECT_EQ(state.rungs, 0);
}

TEST(Climb, NeverWithZeroAndNeverAboveThePlan) {
  ClimbState state;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(EndIteration(state, kThree, true));
  TakeRung(state);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(EndIteration(state, {.climb_after = 0}, true));
}

// A machine on which heights of `fits` rungs and more below the plan never fail, others do with a
// probability: the climbs into failure must get rare, and what fits must be used.
TEST(Climb, TenThousandStepsDoNotFlap) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    ClimbState state;
    const int fits = 1 + static_cast<int>(rng.Below(4));
    const double fails = 0.2 + 0.8 * rng.Uniform();
    int failures = 0;
    int late_failures = 0;
    int deepest = 0;
    constexpr int kSteps = 10'000;
    for (int step = 0; step < kSteps; ++step) {
      const bool failed = state.rungs < fits && rng.Uniform() < fails;
      if (failed) {
        TakeRung(state);
        ++failures;
        late_failures += step >= kSteps / 2 ? 1 : 0;
      }
      if (EndIteration(state, kThree, !failed)) Climb(state);
      deepest = std::max(deepest, state.rungs);
    }
    EXPECT_LE(deepest, fits) << "seed " << seed;
    EXPECT_LE(failures, fits * 16) << "seed " << seed;
    EXPECT_LE(late_failures, fits * 3) << "seed " << seed;
  }
}

TEST(Climb, EqualHistoriesGiveEqualStates) {
  ClimbState a;
  ClimbState b;
  for (ClimbState* state : {&a, &b}) {
    TakeRung(*state);
    EndIteration(*state, kThree, true);
  }
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace az
