#include "engine/arena/match_score.h"

#include <gtest/gtest.h>

namespace az {
namespace {

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
