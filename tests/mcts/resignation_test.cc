#include "mcts/resignation.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(Resignation, NeedsAStreakOfOneSidesOwnMoves) {
  Resignation game(0.9, 3);
  EXPECT_FALSE(game.Notes(Player::kFirst, -0.95f));
  EXPECT_FALSE(game.Notes(Player::kSecond, 0.95f));
  EXPECT_FALSE(game.Notes(Player::kFirst, -0.90f));
  EXPECT_FALSE(game.Notes(Player::kFirst, -0.89f)) << "not bad enough: from the start again";
  EXPECT_FALSE(game.Notes(Player::kFirst, -0.95f));
  EXPECT_FALSE(game.Notes(Player::kFirst, -0.95f));
  EXPECT_FALSE(game.noted().has_value());
  EXPECT_TRUE(game.Notes(Player::kFirst, -0.95f));
  EXPECT_EQ(game.noted(), Player::kFirst);
  EXPECT_FALSE(game.Notes(Player::kFirst, -0.95f)) << "once a game";
  EXPECT_FALSE(game.WasWrong(Outcome::kSecondWins));
  EXPECT_TRUE(game.WasWrong(Outcome::kDraw));
  EXPECT_TRUE(game.WasWrong(Outcome::kFirstWins));
}

TEST(Resignation, NeverHappensWithoutAThreshold) {
  Resignation game(0.0, 1);
  EXPECT_FALSE(game.Notes(Player::kSecond, -1.0f));
}

}  // namespace
}  // namespace az
