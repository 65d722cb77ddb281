#include "games/breakthrough/breakthrough.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>

#include "tests/support/brute_force.h"
#include "tests/support/play_text.h"
#include "tests/support/random_play.h"

namespace az {
namespace {

using testing::After;
using Five = Breakthrough<5, 5>;

template <GameState S>
std::set<std::string> LegalTexts(const S& state) {
  std::set<std::string> texts;
  state.LegalActions().ForEach([&](Action a) { texts.insert(state.MoveText(a)); });
  return texts;
}

TEST(Breakthrough, TheFirstPlayerComesFromTheTop) {
  const std::set<std::string> moves = {"a4a3", "a4b3", "b4a3", "b4b3", "b4c3", "c4b3", "c4c3",
                                       "c4d3", "d4c3", "d4d3", "d4e3", "e4d3", "e4e3"};
  EXPECT_EQ(LegalTexts(Five{}), moves);
}

TEST(Breakthrough, CapturesDiagonallyOnly) {
  // x on c3, o on c2 and below: straight on is blocked, b2 and d2 can be taken.
  const auto state = After<Five>("c4c3 a2a3");
  const std::set<std::string> legal = LegalTexts(state);
  EXPECT_FALSE(legal.contains("c3c2"));
  EXPECT_TRUE(legal.contains("c3b2") && legal.contains("c3d2"));
  EXPECT_TRUE(legal.contains("b4a3"));   // takes the stone that came forward
  EXPECT_FALSE(legal.contains("a4a3"));  // and straight on it blocks
}

TEST(Breakthrough, TheLastRowWins) {
  EXPECT_EQ(After<Five>("c4c3 a2a3 c3b2 a3b4 b2a1").Result(), Outcome::kFirstWins);
  EXPECT_EQ(After<Five>("c4c3 a2a3 c3d2 a3b4 e4e3 b4a5").Result(), Outcome::kSecondWins);
}

TEST(Breakthrough, StepsDoNotRunRoundTheEdge) {
  const std::set<std::string> legal = LegalTexts(After<Breakthrough<8, 8>>("a7a6"));
  for (const std::string& move : legal) EXPECT_LE(std::abs(move[0] - move[2]), 1) << move;
  EXPECT_EQ(legal.size(), 22u);
}

// Random games on a small board reach it: a side without pieces has lost.
TEST(Breakthrough, TheLastPieceTakenWins) {
  using Tiny = Breakthrough<5, 3, 1>;
  Rng rng(5);
  int wiped_out = 0;
  for (int game = 0; game < 2000; ++game) {
    const Tiny state = testing::PlayRandomGame<Tiny>(rng, [](const auto&...) {});
    std::array<std::uint64_t, 2> planes{};
    state.Encode(planes);
    if (planes[0] != 0) continue;
    ++wiped_out;
    ASSERT_EQ(ValueFor(*state.Result(), state.ToMove()), -1);
  }
  EXPECT_GT(wiped_out, 10);
}

TEST(Breakthrough, TheSecondPlayerSeesTheBoardTurned) {
  Five state;
  std::array<std::uint64_t, 2> at_start{};
  state.Encode(at_start);
  EXPECT_EQ(at_start[0], 0x3FFu);  // rows 0 and 1
  EXPECT_EQ(at_start[1], 0x3FFu << 15);
  state = After<Five>("a4a3");
  std::array<std::uint64_t, 2> planes{};
  state.Encode(planes);
  EXPECT_EQ(planes[0], at_start[0]);                                           // the same start
  EXPECT_EQ(planes[1], (at_start[1] & ~(1u << 15)) | std::uint64_t{1} << 10);  // a4 a3 from below
}

TEST(Breakthrough, BestPlayOnASmallBoard) {
  EXPECT_EQ((testing::BruteForce<Breakthrough<4, 4>>().Solve({})), -1);
}

}  // namespace
}  // namespace az
