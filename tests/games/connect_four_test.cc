#include "games/connect_four/connect_four.h"

#include <gtest/gtest.h>

#include <string_view>

#include "games/perft.h"

namespace az {
namespace {

// Columns as a person writes them: "4435".
ConnectFour After(std::string_view columns) {
  ConnectFour state;
  for (const char column : columns) {
    const auto a = static_cast<Action>(column - '1');
    EXPECT_TRUE(state.LegalActions().Contains(a)) << column << " in " << columns;
    state.Apply(a);
  }
  return state;
}

TEST(ConnectFour, EveryKindOfLineWins) {
  EXPECT_EQ(After("1122334").Result(), Outcome::kFirstWins);      // row, at the left edge
  EXPECT_EQ(After("4455667").Result(), Outcome::kFirstWins);      // row, at the right edge
  EXPECT_EQ(After("1212121").Result(), Outcome::kFirstWins);      // column
  EXPECT_EQ(After("12233434464").Result(), Outcome::kFirstWins);  // rising diagonal
  EXPECT_EQ(After("76655454424").Result(), Outcome::kFirstWins);  // falling diagonal
}

TEST(ConnectFour, TheSecondPlayerWinsInTheFirstPlayersView) {
  const ConnectFour end = After("71627354");  // the second player fills row 1, columns 1-4
  EXPECT_EQ(end.Result(), Outcome::kSecondWins);
  EXPECT_EQ(ValueFor(*end.Result(), Player::kFirst), -1);
}

TEST(ConnectFour, StonesDoNotJoinRoundTheEdge) {
  // First holds 5, 6, 7 of row 1 and 1 of row 2: neighbours as numbers, not on the board.
  const ConnectFour state = After("5162731");
  EXPECT_EQ(state.Result(), std::nullopt) << state.ToString();
}

TEST(ConnectFour, AFullColumnIsClosed) {
  const ConnectFour state = After("111111");
  EXPECT_FALSE(state.LegalActions().Contains(Action{0}));
  EXPECT_EQ(state.LegalActions().Count(), 6);
}

// Two neighbouring columns filled a pair of rows at a time, with the order turned round, never make
// four.
TEST(ConnectFour, AFullBoardIsADraw) {
  const ConnectFour end = After("121212212121343434434343565656656565777777");
  EXPECT_EQ(end.Result(), Outcome::kDraw) << end.ToString();
  EXPECT_EQ(Perft(end, 1), 0u);
}

}  // namespace
}  // namespace az
