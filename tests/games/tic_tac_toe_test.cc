#include "games/tic_tac_toe/tic_tac_toe.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "tests/support/brute_force.h"

namespace az {
namespace {

TicTacToe After(std::initializer_list<int> actions) {
  TicTacToe state;
  for (const int a : actions) {
    EXPECT_TRUE(state.LegalActions().Contains(static_cast<Action>(a))) << a;
    state.Apply(static_cast<Action>(a));
  }
  return state;
}

TEST(TicTacToe, EveryKindOfLineWins) {
  EXPECT_EQ(After({0, 3, 1, 4, 2}).Result(), Outcome::kFirstWins);      // row
  EXPECT_EQ(After({0, 1, 3, 2, 6}).Result(), Outcome::kFirstWins);      // column
  EXPECT_EQ(After({0, 1, 4, 2, 8}).Result(), Outcome::kFirstWins);      // diagonal
  EXPECT_EQ(After({1, 2, 0, 4, 8, 6}).Result(), Outcome::kSecondWins);  // other diagonal
}

TEST(TicTacToe, AFullBoardWithoutALineIsADraw) {
  EXPECT_EQ(After({0, 1, 2, 4, 3, 5, 7, 6, 8}).Result(), Outcome::kDraw);
}

TEST(TicTacToe, TheLastStoneCanWin) {
  EXPECT_EQ(After({1, 0, 2, 4, 3, 6, 5, 7, 8}).Result(), Outcome::kFirstWins);
}

TEST(TicTacToe, StonesDoNotJoinRoundTheEdge) {
  EXPECT_FALSE(After({2, 0, 3, 1, 4, 8}).Result().has_value());  // c1 a2 b2
}

TEST(TicTacToe, OrderOfMovesDoesNotMatter) {
  EXPECT_EQ(After({0, 4, 8}), After({8, 4, 0}));
  EXPECT_EQ(After({0, 4, 8}).Hash(), After({8, 4, 0}).Hash());
}

TEST(TicTacToe, BestPlayDraws) {
  testing::BruteForce<TicTacToe> solver;
  EXPECT_EQ(solver.Solve(TicTacToe{}), 0);
  EXPECT_EQ(solver.Solve(After({4, 1})), 1);  // centre, then a side: lost for the second player
  EXPECT_EQ(solver.Solve(After({4, 0})), 0);  // a corner holds
}

}  // namespace
}  // namespace az
