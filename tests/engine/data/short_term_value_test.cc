#include "engine/data/short_term_value.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(ShortTermValue, HorizonsAreThoseOfTheDesign) {
  EXPECT_NEAR(ShortTermHorizon(25), 2.4, 1e-9);
  EXPECT_NEAR(ShortTermHorizon(42), 3.352, 1e-9);
  EXPECT_NEAR(ShortTermHorizon(81), 5.536, 1e-9);
}

TEST(ShortTermValue, MatchesNumbersComputedByHand) {
  ShortTermValue value(Player::kSecond, 2.0);  // λ = 1/2
  value.Add(Player::kSecond, 0.5f);            // 1/2 of 0.5
  value.Add(Player::kFirst, 0.25f);            // 1/4 of -0.25
  value.Add(Player::kSecond, -1.0f);           // 1/8 of -1
  EXPECT_FLOAT_EQ(value.EndedWith(Outcome::kSecondWins), 0.25f - 0.0625f - 0.125f + 0.125f);
  EXPECT_FLOAT_EQ(value.EndedWith(Outcome::kFirstWins), 0.25f - 0.0625f - 0.125f - 0.125f);
  EXPECT_FLOAT_EQ(value.EndedWith(Outcome::kDraw), 0.25f - 0.0625f - 0.125f);
}

TEST(ShortTermValue, PliesOfOneSideInARowKeepTheirSign) {
  ShortTermValue value(Player::kFirst, 2.0);
  value.Add(Player::kFirst, 1.0f);
  value.Add(Player::kFirst, 1.0f);
  value.Add(Player::kSecond, -1.0f);
  EXPECT_FLOAT_EQ(value.EndedWith(Outcome::kFirstWins), 1.0f);
}

TEST(ShortTermValue, IsTheOutcomeWithoutSearchesAndNeverBeyondIt) {
  EXPECT_EQ(ShortTermValue(Player::kSecond, 3.0).EndedWith(Outcome::kFirstWins), -1.0f);
  ShortTermValue value(Player::kFirst, 1.0);  // λ = 0: the ply's own value
  value.Add(Player::kFirst, 1.5f);
  EXPECT_EQ(value.EndedWith(Outcome::kSecondWins), 1.0f);
}

}  // namespace
}  // namespace az
