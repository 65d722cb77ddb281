#include "engine/arena/pentanomial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "tests/engine/arena/simulated_pairs.h"

namespace az {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Pentanomial, EloOfScoreIsTheLogisticScale) {
  EXPECT_EQ(EloOfScore(0.5), 0);
  EXPECT_NEAR(EloOfScore(10.0 / 11), 400, 1e-9);
  EXPECT_NEAR(EloOfScore(0.75), 190.848, 1e-3);
  EXPECT_NEAR(EloOfScore(0.25), -190.848, 1e-3);
  EXPECT_EQ(EloOfScore(0), -kInfinity);
  EXPECT_EQ(EloOfScore(1), kInfinity);
  for (const double elo : {-500.0, -3.0, 0.0, 12.0, 400.0}) {
    EXPECT_NEAR(EloOfScore(ScoreOfElo(elo)), elo, 1e-9);
  }
}

// The score with 1.96 standard errors to each side, cut to [0, 1]: the "Elo +- x" of other
// programs.
Interval NormalInterval(const PairCounts& pairs) {
  double count = 0;
  double sum = 0;
  double squares = 0;
  for (std::size_t points = 0; points < pairs.size(); ++points) {
    const auto n = static_cast<double>(pairs[points]);
    const double score = static_cast<double>(points) / 4;
    count += n;
    sum += n * score;
    squares += n * score * score;
  }
  const double mean = sum / count;
  const double margin = 1.96 * std::sqrt((squares / count - mean * mean) / count);
  return {.low = std::max(0.0, mean - margin), .high = std::min(1.0, mean + margin)};
}

// Results of engine matches that their authors published with fastchess' output: pairs by points,
// Elo and half the width of its 95 % interval. The last two are fastchess' own
// app/tests/elo_test.cpp.
TEST(Pentanomial, AgreesWithPublishedMatches) {
  struct Case {
    PairCounts pairs;
    double elo;
    double margin;
  };
  const Case cases[] = {
      {{4, 3, 34, 42, 117}, 277.00, 40.90},       {{283, 1151, 2214, 1221, 281}, 2.23, 4.50},
      {{275, 1381, 2577, 1389, 380}, 6.31, 4.16}, {{235, 1384, 2521, 1341, 239}, -1.06, 4.05},
      {{8, 633, 1558, 804, 6}, 9.64, 4.36},       {{0, 1, 4, 0, 0}, -34.86, 62.20},
      {{34, 54, 63, 64, 75}, 55.58, 27.65},       {{332, 433, 498, 333, 334}, -8.64, 10.33}};
  for (const Case& c : cases) {
    const ScoreEstimate estimate = EstimateFromPairs(c.pairs);
    EXPECT_NEAR(estimate.elo, c.elo, 0.005);
    const Interval normal = NormalInterval(c.pairs);
    EXPECT_NEAR((EloOfScore(normal.high) - EloOfScore(normal.low)) / 2, c.margin, 0.005);
    // Long matches: both intervals are the same but for their skew.
    if (PairsIn(c.pairs) < 1000) continue;
    const double half = (estimate.elo_interval.high - estimate.elo_interval.low) / 2;
    EXPECT_NEAR(half, c.margin, 0.01 * c.margin);
  }
}

// Another way to the largest likelihood with a given mean: climb along the three directions that
// change neither the sum nor the mean, one after the other.
double BestLogLikelihood(const std::array<double, 5>& weights, double score) {
  std::array<double, 5> p{};
  double choose = 1;
  for (std::size_t i = 0; i < 5; ++i) {  // binomial: inside, and of mean `score`
    p[i] = choose * std::pow(score, static_cast<double>(i)) *
           std::pow(1 - score, 4 - static_cast<double>(i));
    choose = choose * (4 - static_cast<double>(i)) / (static_cast<double>(i) + 1);
  }
  for (int sweep = 0; sweep < 3000; ++sweep) {
    for (std::size_t k = 0; k < 3; ++k) {
      double low = -std::min(p[k], p[k + 2]);
      double high = p[k + 1] / 2;
      for (int step = 0; step < 60; ++step) {  // the slope falls along the direction
        const double t = (low + high) / 2;
        const double slope = weights[k] / (p[k] + t) - 2 * weights[k + 1] / (p[k + 1] - 2 * t) +
                             weights[k + 2] / (p[k + 2] + t);
        (slope > 0 ? low : high) = t;
      }
      p[k] += low;
      p[k + 1] -= 2 * low;
      p[k + 2] += low;
    }
  }
  double log = 0;
  for (std::size_t i = 0; i < 5; ++i) log += weights[i] * std::log(p[i]);
  return log;
}

TEST(Pentanomial, LogLikelihoodRatioAgreesWithAnotherMethod) {
  const PairCounts matches[] = {{13, 37, 50, 25, 3}, {1, 2, 3, 4, 5}, {0, 1, 4, 0, 0},
                                {4, 3, 34, 42, 117}, {0, 0, 0, 0, 7}, {9, 0, 0, 0, 9}};
  for (const PairCounts& pairs : matches) {
    std::array<double, 5> weights{};
    double total = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      weights[i] = pairs[i] == 0 ? 0.03 : static_cast<double>(pairs[i]);
      total += weights[i];
    }
    double free = 0;
    for (const double w : weights) free += w * std::log(w / total);
    for (const double score : {0.1, 0.5, 0.55, 0.9}) {
      EXPECT_NEAR(LogLikelihoodRatio(pairs, score), BestLogLikelihood(weights, score) - free, 1e-4)
          << "score " << score << " of " << pairs[0] << "," << pairs[4];
    }
  }
}

// The figures of docs/az_arena.md: the least and the greatest coverage that it prints.
TEST(Pentanomial, IntervalsCoverTheTruth) {
  constexpr int kMatches = 4000;
  struct Length {
    int pairs;
    double low;  // coverage at least and at most: short matches have few results to cover with
    double high;
  };
  const Length lengths[] = {
      {10, 0.87, 1.0}, {20, 0.91, 0.99}, {50, 0.93, 0.97}, {200, 0.93, 0.97}, {1000, 0.93, 0.97}};
  const PairWorld worlds[] = {{0, 0}, {200, 0}, {100, 0.5}, {0, 0.8}, {50, 0.2}};
  Rng rng(20);
  for (const Length& length : lengths) {
    double least = 1;
    double greatest = 0;
    for (const PairWorld& world : worlds) {
      for (const double elo : {0.0, 80.0, 300.0, 420.0}) {
        const double score = ScoreOfElo(elo);
        const SimulatedPairs simulated(score, world);
        ASSERT_NEAR(simulated.Mean(), score, 1e-9);
        int covered = 0;
        for (int match = 0; match < kMatches; ++match) {
          const Interval interval =
              EstimateFromPairs(simulated.Match(length.pairs, rng)).score_interval;
          covered += interval.low <= score && score <= interval.high;
        }
        const double coverage = covered / static_cast<double>(kMatches);
        EXPECT_TRUE(coverage >= length.low && coverage <= length.high)
            << coverage << " at " << length.pairs << " pairs, elo " << elo << ", bias "
            << world.bias_elo << ", draws " << world.draws;
        least = std::min(least, coverage);
        greatest = std::max(greatest, coverage);
      }
    }
    std::printf("95 %% intervals of %d pairs cover %.4f to %.4f\n", length.pairs, least, greatest);
  }
}

TEST(Pentanomial, WhoWonEveryGameHasNoUpperElo) {
  for (std::int64_t pairs = 1; pairs <= 500; ++pairs) {
    EXPECT_EQ(EstimateFromPairs({0, 0, 0, 0, pairs}).elo_interval.high, kInfinity) << pairs;
    EXPECT_EQ(EstimateFromPairs({pairs, 0, 0, 0, 0}).elo_interval.low, -kInfinity) << pairs;
  }
}

TEST(Pentanomial, AllPairsAlikeStillHaveAnInterval) {
  const ScoreEstimate won = EstimateFromPairs({0, 0, 0, 0, 50});
  EXPECT_EQ(won.score, 1);
  EXPECT_EQ(won.elo, kInfinity);
  // Wilson at 50 of 50: 50 / (50 + 1.96^2).
  EXPECT_NEAR(won.score_interval.low, 50 / (50 + 3.841459), 1e-6);
  EXPECT_NEAR(won.elo_interval.low, 445.8, 0.1);
  EXPECT_EQ(won.elo_interval.high, kInfinity);
  const ScoreEstimate drawn = EstimateFromPairs({0, 0, 50, 0, 0});
  EXPECT_EQ(drawn.elo, 0);
  EXPECT_LT(drawn.elo_interval.low, -50);
  EXPECT_GT(drawn.elo_interval.high, 50);
}

TEST(Pentanomial, IntervalIsMirroredWithThePlayers) {
  const ScoreEstimate one = EstimateFromPairs({1, 0, 5, 7, 30});
  const ScoreEstimate other = EstimateFromPairs({30, 7, 5, 0, 1});
  EXPECT_NEAR(one.elo, -other.elo, 1e-9);
  EXPECT_NEAR(one.elo_interval.low, -other.elo_interval.high, 1e-6);
  EXPECT_NEAR(one.elo_interval.high, -other.elo_interval.low, 1e-6);
}

TEST(Pentanomial, NoPairsSayNothing) {
  const ScoreEstimate nothing = EstimateFromPairs({});
  EXPECT_EQ(nothing.score, 0.5);
  EXPECT_EQ(nothing.score_interval.low, 0);
  EXPECT_EQ(nothing.score_interval.high, 1);
  EXPECT_EQ(nothing.elo_interval.low, -kInfinity);
  EXPECT_EQ(LogLikelihoodRatio({}, 0.3), 0);
}

}  // namespace
}  // namespace az
