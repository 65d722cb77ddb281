#include "games/hex/hex.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "games/registry.h"
#include "tests/support/brute_force.h"
#include "tests/support/play_text.h"

namespace az {
namespace {

using testing::After;
using SwapHex = Hex<5, HexSwap::kYes>;

TEST(Hex, TheFirstPlayerJoinsTopAndBottom) {
  EXPECT_EQ(After<Hex<3>>("b1 a1 b2 c1 b3").Result(), Outcome::kFirstWins);
}

TEST(Hex, TheSecondPlayerJoinsLeftAndRight) {
  EXPECT_EQ(After<Hex<3>>("a1 a2 b1 b2 c1 c2").Result(), Outcome::kSecondWins);
  EXPECT_EQ(After<Hex<3>>("a1 a2 c1 b2 a3 c2").Result(), Outcome::kSecondWins);
}

TEST(Hex, OnlyOneDiagonalJoins) {
  EXPECT_EQ(After<Hex<3>>("c1 a1 b2 c3 a3").Result(), Outcome::kFirstWins);  // cells 2-4-6
  EXPECT_EQ(After<Hex<3>>("a1 c1 b2 a3 c3").Result(), std::nullopt);         // cells 0-4-8
}

TEST(Hex, RowsDoNotJoinRoundTheEdge) {
  // c1 is cell 2, a2 is cell 3: neighbours as numbers only. b3 touches neither.
  EXPECT_EQ(After<Hex<3>>("c1 b2 a2 c2 b3").Result(), std::nullopt);
}

TEST(Hex, TheLastStoneJoinsWhatWasApart) {
  // First holds both ends of a chain that grows from the bottom; the top stone comes last.
  EXPECT_EQ(After<Hex<5>>("c5 a1 c4 a2 c3 a3 c2 a4").Result(), std::nullopt);
  EXPECT_EQ(After<Hex<5>>("c5 a1 c4 a2 c3 a3 c2 a4 c1").Result(), Outcome::kFirstWins);
  // And a chain closed in the middle.
  EXPECT_EQ(After<Hex<5>>("c1 a1 c2 a2 c5 a3 c4 b5 c3").Result(), Outcome::kFirstWins);
}

TEST(Hex, OrderOfMovesDoesNotMatter) {
  EXPECT_EQ(After<Hex<5>>("c1 a5 c2 b5 c3"), After<Hex<5>>("c3 b5 c1 a5 c2"));
  EXPECT_EQ(After<Hex<11>>("a1 k11 a2 j11 b1"), After<Hex<11>>("b1 j11 a2 k11 a1"));
}

TEST(Hex, TheSecondPlayerSeesTheBoardTransposed) {
  ForEachGame([]<RegisteredGame S>() {
    if constexpr (S::kFamily == "hex") {
      constexpr int kSide = S::kBoardSize;
      for (int cell = 0; cell < kSide * kSide; ++cell) {
        S state;
        state.Apply(static_cast<Action>(cell));
        std::array<std::uint64_t, static_cast<std::size_t>(S::kShape.words())> planes;
        state.Encode(planes);
        std::array<std::uint64_t, static_cast<std::size_t>(S::kShape.words())> expected{};
        const int seen = cell % kSide * kSide + cell / kSide;
        const int word = S::kShape.words_per_plane() + seen / 64;
        expected[static_cast<std::size_t>(word)] = std::uint64_t{1} << (seen % 64);
        ASSERT_EQ(planes, expected) << S::kName << " cell " << cell;
        ASSERT_FALSE(state.LegalActions().Contains(static_cast<Action>(seen)));
      }
    }
  });
}

TEST(HexWithSwap, IsOnOfferAtTheSecondPlayersFirstPlyOnly) {
  EXPECT_FALSE(SwapHex{}.LegalActions().Contains(SwapHex::kSwap));
  const auto offered = After<SwapHex>("b1");
  EXPECT_TRUE(offered.LegalActions().Contains(SwapHex::kSwap));
  EXPECT_EQ(offered.LegalActions().Count(), 25);
  EXPECT_FALSE(After<SwapHex>("b1 c3").LegalActions().Contains(SwapHex::kSwap));
  EXPECT_FALSE(After<SwapHex>("b1 swap").LegalActions().Contains(SwapHex::kSwap));
  EXPECT_FALSE(After<SwapHex>("b1 swap c3").LegalActions().Contains(SwapHex::kSwap));
  EXPECT_FALSE(After<SwapHex>("b1 c3 d4").LegalActions().Contains(SwapHex::kSwap));
}

TEST(HexWithSwap, TheStoneChangesHandsAndSides) {
  const auto swapped = After<SwapHex>("d1 swap");
  EXPECT_EQ(swapped.ToMove(), Player::kFirst);
  EXPECT_EQ(swapped.ToString(),
            "   a b c d e\n 1 . . . . .\n  2 . . . . .\n   3 . . . . .\n    4 o . . . .\n"
            "     5 . . . . .\nx to move\n");
}

TEST(HexWithSwap, LeavesTheStonesOfTheViewWhereTheyWere) {
  for (int cell = 0; cell < 25; ++cell) {
    SwapHex state;
    state.Apply(static_cast<Action>(cell));
    std::array<std::uint64_t, 3> before{};
    state.Encode(before);
    state.Apply(SwapHex::kSwap);
    std::array<std::uint64_t, 3> after{};
    state.Encode(after);
    EXPECT_EQ(before[2], 0x1FFFFFFu);
    before[2] = 0;
    ASSERT_EQ(after, before) << "cell " << cell;
  }
}

TEST(HexWithSwap, TheSwappedStoneJoinsItsNewOwnersSides) {
  // a1 stays a1 and holds on to the left edge.
  EXPECT_EQ(After<SwapHex>("a1 swap a5 b1 b5 c1 c5 d1 d5 e1").Result(), Outcome::kSecondWins);
  // c1, by the top for the first player, becomes a3, by the left for the second.
  EXPECT_EQ(After<SwapHex>("c1 swap a5 b3 b5 c3 c5 d3 d5 e3").Result(), Outcome::kSecondWins);
}

TEST(HexWithSwap, WithIt3x3IsWonByTheSecondPlayer) {
  EXPECT_EQ((testing::BruteForce<Hex<3, HexSwap::kYes>>().Solve({})), -1);
}

template <int N>
std::vector<int> WinningOpenings() {
  testing::BruteForce<Hex<N>> solver;
  std::vector<int> winning;
  for (int cell = 0; cell < N * N; ++cell) {
    Hex<N> state;
    state.Apply(static_cast<Action>(cell));
    if (solver.Solve(state) < 0) winning.push_back(cell);
  }
  return winning;
}

TEST(Hex, WinningOpeningsOnSmallBoards) {
  EXPECT_EQ(WinningOpenings<3>(), (std::vector<int>{2, 3, 4, 5, 6}));
  EXPECT_EQ(WinningOpenings<4>(), (std::vector<int>{3, 6, 9, 12}));
}

TEST(Hex, TextUsesBoardCoordinatesForBothPlayers) {
  Hex<5> state;
  EXPECT_EQ(state.MoveText(Action{2}), "c1");
  state.Apply(Action{2});
  EXPECT_EQ(state.MoveText(Action{2}), "a3");  // row 0, column 2 of the transposed board
}

}  // namespace
}  // namespace az
