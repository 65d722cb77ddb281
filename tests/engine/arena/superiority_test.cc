#include "engine/arena/superiority.h"

#include <gtest/gtest.h>

#include "tests/engine/arena/simulated_pairs.h"

namespace az {
namespace {

// fastchess, app/tests/elo_test.cpp: "5.05 %" and "100.00 %", from the normal approximation.
TEST(Superiority, AgreesWithPublishedMatches) {
  EXPECT_NEAR(LikelihoodOfSuperiority({332, 433, 498, 333, 334}), 0.0505, 0.0005);
  EXPECT_NEAR(LikelihoodOfSuperiority({34, 54, 63, 64, 75}), 1.0, 0.0001);
}

TEST(Superiority, KnowsNothingWithoutADifference) {
  EXPECT_EQ(LikelihoodOfSuperiority({}), 0.5);
  EXPECT_NEAR(LikelihoodOfSuperiority({3, 4, 9, 4, 3}), 0.5, 1e-9);
}

TEST(Superiority, NeverSureAfterAFewPairsAndSymmetric) {
  const double one = LikelihoodOfSuperiority({0, 0, 0, 0, 1});
  const double ten = LikelihoodOfSuperiority({0, 0, 0, 0, 10});
  EXPECT_GT(one, 0.7);
  EXPECT_LT(one, 0.95);
  EXPECT_GT(ten, 0.999);
  EXPECT_LT(ten, 1);
  EXPECT_NEAR(LikelihoodOfSuperiority({10, 0, 0, 0, 0}), 1 - ten, 1e-12);
}

// Between equal players it says "x or more" in a share 1 - x of the matches.
TEST(Superiority, IsCalibratedBetweenEqualPlayers) {
  const SimulatedPairs equal(0.5, {.bias_elo = 100, .draws = 0.3});
  Rng rng(7);
  constexpr int kMatches = 10'000;
  int above_90 = 0;
  int above_975 = 0;
  for (int match = 0; match < kMatches; ++match) {
    const double likelihood = LikelihoodOfSuperiority(equal.Match(200, rng));
    above_90 += likelihood > 0.9;
    above_975 += likelihood > 0.975;
  }
  EXPECT_NEAR(above_90 / static_cast<double>(kMatches), 0.1, 0.01);
  EXPECT_NEAR(above_975 / static_cast<double>(kMatches), 0.025, 0.005);
}

}  // namespace
}  // namespace az
