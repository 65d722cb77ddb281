#include "games/othello/othello.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "tests/support/brute_force.h"
#include "tests/support/play_text.h"
#include "tests/support/random_play.h"

namespace az {
namespace {

using testing::After;

template <GameState S>
std::set<std::string> LegalTexts(const S& state) {
  std::set<std::string> texts;
  state.LegalActions().ForEach([&](Action a) { texts.insert(state.MoveText(a)); });
  return texts;
}

TEST(Othello, TheFirstPlayerBeginsWithFourMoves) {
  EXPECT_EQ(LegalTexts(Othello<8>{}), (std::set<std::string>{"d3", "c4", "f5", "e6"}));
  EXPECT_EQ(LegalTexts(Othello<6>{}), (std::set<std::string>{"c2", "b3", "e4", "d5"}));
}

TEST(Othello, TurnsSeveralLinesAtOnce) {
  const auto state = After<Othello<8>>("f5 f6 e6 f4 e3");
  EXPECT_EQ(state.ToString(),
            "  a b c d e f g h\n"
            "1 . . . . . . . .\n"
            "2 . . . . . . . .\n"
            "3 . . . . x . . .\n"
            "4 . . . o x o . .\n"
            "5 . . . x x o . .\n"
            "6 . . . . x o . .\n"
            "7 . . . . . . . .\n"
            "8 . . . . . . . .\n"
            "o to move\n");
}

TEST(Othello, AWipeOutEndsTheGameEarly) {
  const auto end = After<Othello<8>>("e6 f4 e3 f6 g5 d6 e7 f5 c5");
  EXPECT_EQ(end.Result(), Outcome::kFirstWins) << end.ToString();
  EXPECT_TRUE(end.LegalActions().empty());
}

TEST(Othello, LinesDoNotRunRoundTheEdge) {
  using Bits = OthelloBits<8>;
  const std::uint64_t b5 = Bits::Bit(33);
  // a5, a4 and a6 are the last cells of their lines from b5; the numbers go on at h4, h2 and h6.
  for (const int last : {32, 24, 40}) {
    EXPECT_EQ(Bits::Placements(b5, Bits::Bit(last)), 0u) << last;
  }
  EXPECT_EQ(Bits::Turned(b5, Bits::Bit(32), 31), 0u);
  EXPECT_EQ(Bits::Turned(b5, Bits::Bit(24), 15), 0u);
}

TEST(Othello, SixDiscsInARowTurn) {
  using Bits = OthelloBits<8>;
  for (const int step : {1, 8, 9}) {
    std::uint64_t line = 0;
    for (int k = 1; k <= 6; ++k) line |= Bits::Bit(k * step);
    EXPECT_EQ(Bits::Placements(Bits::Bit(0), line), Bits::Bit(7 * step));
    EXPECT_EQ(Bits::Placements(Bits::Bit(7 * step), line), Bits::Bit(0));
    EXPECT_EQ(Bits::Turned(Bits::Bit(0), line, 7 * step), line);
    EXPECT_EQ(Bits::Turned(Bits::Bit(7 * step), line, 0), line);
  }
}

// Every pass of random games stands alone, is the only move there, and turns nothing.
TEST(Othello, PassIsAPlyOfItsOwnAndOnlyWhenForced) {
  Rng rng(3);
  int passes = 0;
  for (int game = 0; game < 300; ++game) {
    bool passed = false;
    testing::PlayRandomGame<Othello<6>>(rng, [&](const auto& before, Action a, const auto& after) {
      const auto legal = before.LegalActions();
      const bool must_pass = legal.Contains(Othello<6>::kPass);
      ASSERT_FALSE(must_pass && (passed || legal.Count() != 1)) << before.ToString();
      passed = a == Othello<6>::kPass;
      if (!passed) return;
      ++passes;
      std::array<std::uint64_t, 2> seen{};
      std::array<std::uint64_t, 2> turned{};
      before.Encode(seen);
      after.Encode(turned);
      ASSERT_EQ(seen[0], turned[1]);
      ASSERT_EQ(seen[1], turned[0]);
      ASSERT_EQ(after.Result(), std::nullopt);
    });
  }
  EXPECT_GT(passes, 50);
}

TEST(Othello, TheSecondPlayerWinsOnFourByFour) {
  EXPECT_EQ(testing::BruteForce<Othello<4>>().Solve({}), -1);
}

}  // namespace
}  // namespace az
