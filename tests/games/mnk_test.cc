#include "games/mnk/mnk.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>

#include "games/board_symmetry.h"
#include "games/fixed_name.h"
#include "games/perft.h"
#include "tests/support/brute_force.h"
#include "tests/support/play_text.h"

namespace az {
namespace {

using testing::After;
using Gomoku = Mnk<15, 15, 5>;

TEST(Mnk, NamesTellTheSizes) {
  EXPECT_EQ(std::string_view(Gomoku::kName), "gomoku15");
  EXPECT_EQ((std::string_view(Mnk<5, 5, 4>::kName)), "mnk_5_5_4");
  EXPECT_EQ((std::string_view(Mnk<5, 3, 3>::kName)), "mnk_5_3_3");
  EXPECT_EQ(FixedName("a").Then(0).Then(1205).view(), "a01205");
}

TEST(Mnk, EveryKindOfLineWins) {
  EXPECT_EQ(After<Gomoku>("a1 a2 b1 b2 c1 c2 d1 d2 e1").Result(), Outcome::kFirstWins);
  EXPECT_EQ(After<Gomoku>("a1 b1 a2 b2 a3 b3 a4 b4 a5").Result(), Outcome::kFirstWins);
  EXPECT_EQ(After<Gomoku>("a1 b1 b2 c1 c3 d1 d4 f1 e5").Result(), Outcome::kFirstWins);
  EXPECT_EQ(After<Gomoku>("e1 a1 d2 b1 c3 c1 b4 d1 a5").Result(), Outcome::kFirstWins);
}

TEST(Mnk, LinesReachTheFarCornerAcrossWords) {
  EXPECT_EQ(After<Gomoku>("a1 l15 a2 m15 a4 n15 a5 o15 a7 p15").Result(), Outcome::kSecondWins);
  EXPECT_EQ(After<Gomoku>("a1 p11 a2 p12 a4 p13 a5 p14 a7 p15").Result(), Outcome::kSecondWins);
  EXPECT_EQ(After<Gomoku>("a1 l11 a2 m12 a4 n13 a5 o14 a7 p15").Result(), Outcome::kSecondWins);
  EXPECT_EQ(After<Gomoku>("a1 p11 a2 o12 a4 n13 a5 m14 a7 l15").Result(), Outcome::kSecondWins);
}

TEST(Mnk, TheStoneInTheMiddleCompletesALineAndMoreThanFiveWin) {
  const auto open = After<Gomoku>("a1 a15 b1 b15 c1 c15 e1 e15 f1 f15 g1 g15");
  EXPECT_EQ(open.Result(), std::nullopt);
  EXPECT_EQ(After<Gomoku>("d1", open).Result(), Outcome::kFirstWins);  // seven in a row
}

TEST(Mnk, StonesDoNotJoinRoundTheEdge) {
  // Cells 11 to 15: four at the end of row 1, the first of row 2.
  EXPECT_EQ(After<Gomoku>("m1 a9 n1 c9 o1 e9 p1 g9 a2").Result(), std::nullopt);
  // The falling diagonal from b1 would go on at p1 (cells 1, 15, 29 ... are 14 apart).
  EXPECT_EQ((After<Mnk<5, 5, 4>>("b1 a5 a2 c5 e2 e5 d3 a4 c4").Result()), std::nullopt);
}

TEST(Mnk, AFullBoardWithoutALineIsADraw) {
  EXPECT_EQ((After<Mnk<3, 3, 3>>("a1 b1 c1 b2 a2 c2 b3 a3 c3").Result()), Outcome::kDraw);
}

TEST(Mnk, TheLastStoneCanWin) {
  EXPECT_EQ((After<Mnk<3, 3, 3>>("b1 a1 c1 b2 a2 a3 c2 b3 c3").Result()), Outcome::kFirstWins);
}

TEST(Mnk, TextSkipsTheLetterI) {
  Gomoku state;
  EXPECT_EQ(state.MoveText(Action{7}), "h1");
  EXPECT_EQ(state.MoveText(Action{8}), "j1");
  EXPECT_EQ(state.MoveText(Action{224}), "p15");
}

TEST(Mnk, BestPlayOnSmallBoards) {
  EXPECT_EQ((testing::BruteForce<Mnk<4, 4, 3>>().Solve({})), 1);
  EXPECT_EQ((testing::BruteForce<Mnk<3, 3, 3>>().Solve({})), 0);
}

TEST(BoardSymmetry, ARectangleKeepsItsSides) {
  using Oblong = BoardSymmetry<3, 5>;
  EXPECT_EQ(Oblong::kCount, 4);
  EXPECT_EQ(Oblong::Map(0, 1), 4);
  EXPECT_EQ(Oblong::Map(0, 2), 10);
  EXPECT_EQ(Oblong::Map(0, 3), 14);
  EXPECT_EQ((BoardSymmetry<3, 3>::Map(1, 4)), 3);
}

}  // namespace
}  // namespace az
