#include "engine/arena/match_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace az {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(MatchScore, EloOfScoreIsTheLogisticScale) {
  EXPECT_EQ(EloOfScore(0.5), 0);
  EXPECT_NEAR(EloOfScore(10.0 / 11), 400, 1e-9);
  EXPECT_NEAR(EloOfScore(0.75), 190.848, 1e-3);
  EXPECT_NEAR(EloOfScore(0.25), -190.848, 1e-3);
  EXPECT_EQ(EloOfScore(0), -kInfinity);
  EXPECT_EQ(EloOfScore(1), kInfinity);
}

// Results of engine matches that their authors published with fastchess' output: pairs by points,
// Elo and half the width of its 95 % interval.
TEST(MatchScore, AgreesWithPublishedMatches) {
  struct Case {
    std::array<std::int64_t, 5> pairs;
    double elo;
    double margin;
  };
  const Case cases[] = {
      {{4, 3, 34, 42, 117}, 277.00, 40.90},       {{283, 1151, 2214, 1221, 281}, 2.23, 4.50},
      {{275, 1381, 2577, 1389, 380}, 6.31, 4.16}, {{235, 1384, 2521, 1341, 239}, -1.06, 4.05},
      {{8, 633, 1558, 804, 6}, 9.64, 4.36},       {{0, 1, 4, 0, 0}, -34.86, 62.20}};
  for (const Case& c : cases) {
    const ScoreEstimate estimate = EstimateFromPairs(c.pairs);
    EXPECT_NEAR(estimate.elo, c.elo, 0.005);
    EXPECT_NEAR((estimate.elo_interval.high - estimate.elo_interval.low) / 2, c.margin, 0.005);
  }
}

TEST(MatchScore, AllPairsAlikeStillHaveAnInterval) {
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

TEST(MatchScore, NoGamesSayNothing) {
  const ScoreEstimate nothing = MatchScore().Estimate();
  EXPECT_EQ(nothing.score, 0.5);
  EXPECT_EQ(nothing.score_interval.low, 0);
  EXPECT_EQ(nothing.score_interval.high, 1);
  EXPECT_EQ(nothing.elo_interval.low, -kInfinity);
}

TEST(MatchScore, CountsByColourAndPair) {
  MatchScore score;
  // Pair 0: player 0 wins as first, then as second: 2 points. The games may end in any order.
  score.Add(1, Outcome::kSecondWins);
  score.Add(0, Outcome::kFirstWins);
  // Pair 1: wins as first, loses as second: 1 point.
  score.Add(2, Outcome::kFirstWins);
  score.Add(3, Outcome::kFirstWins);
  // Pair 2: a draw and a loss: half a point.
  score.Add(4, Outcome::kDraw);
  score.Add(5, Outcome::kFirstWins);
  // Pair 3: one game given up: no pair. Pair 4: unfinished.
  score.Add(6, std::nullopt);
  score.Add(7, Outcome::kSecondWins);
  score.Add(8, Outcome::kSecondWins);
  EXPECT_EQ(score.as(Player::kFirst), (MatchTally{.wins = 2, .draws = 1, .losses = 1}));
  EXPECT_EQ(score.as(Player::kSecond), (MatchTally{.wins = 2, .draws = 0, .losses = 2}));
  EXPECT_EQ(score.total(), (MatchTally{.wins = 4, .draws = 1, .losses = 3}));
  EXPECT_EQ(score.total().points(), 4.5);
  EXPECT_EQ(score.total().score(), 4.5 / 8);
  EXPECT_EQ(score.given_up(), 1);
  EXPECT_EQ(score.pairs(), (std::array<std::int64_t, 5>{0, 1, 1, 0, 1}));
}

}  // namespace
}  // namespace az
