#include "engine/arena/pairing.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "games/registry.h"

namespace az {
namespace {

TEST(Pairing, GamesOfAPairSwapColours) {
  EXPECT_EQ(PairOf(6), 3u);
  EXPECT_EQ(PairOf(7), 3u);
  EXPECT_EQ(FirstToMove(6), 0);
  EXPECT_EQ(FirstToMove(7), 1);
  EXPECT_EQ(ValueForPlayer0(6, Outcome::kFirstWins), 1);
  EXPECT_EQ(ValueForPlayer0(7, Outcome::kFirstWins), -1);
  EXPECT_EQ(ValueForPlayer0(7, Outcome::kDraw), 0);
  EXPECT_EQ(GamesOfMatch(99), 100u);
  EXPECT_EQ(GamesOfMatch(100), 100u);
}

TEST(OpeningDealer, OnePlyDealsEveryOpeningEquallyOften) {
  // 50 games of Hex 5x5: each of the 25 openings, both colours, once.
  const OpeningDealer dealer(*FindGame("hex5").value(), 1, 42);
  std::map<std::vector<Action>, int> dealt;
  for (std::uint32_t game = 0; game < 50; ++game) ++dealt[dealer.Opening(PairOf(game))];
  EXPECT_EQ(dealt.size(), 25u);
  for (const auto& [opening, games] : dealt) {
    EXPECT_EQ(opening.size(), 1u);
    EXPECT_EQ(games, 2);
  }
}

TEST(OpeningDealer, WhereAllOpeningsHaveBeenDealtTheyGoOnByAPly) {
  const OpeningDealer dealer(*FindGame("hex3").value(), 2, 7);
  std::set<std::vector<Action>> dealt;
  for (std::uint32_t pair = 0; pair < 72; ++pair) {
    EXPECT_EQ(dealer.Opening(pair).size(), 2u);
    dealt.insert(dealer.Opening(pair));
  }
  EXPECT_EQ(dealt.size(), 72u);  // 9 first moves, 8 replies
  for (std::uint32_t pair = 72; pair < 72 + 504; ++pair) {
    EXPECT_EQ(dealer.Opening(pair).size(), 3u);
    dealt.insert(dealer.Opening(pair));
  }
  EXPECT_EQ(dealt.size(), 72u + 504u);
}

// What the final matches ask for: 50 pairs, where there are seven first moves.
TEST(OpeningDealer, OnePlyIsEnoughForAMatchOfAGameWithFewFirstMoves) {
  const OpeningDealer dealer(*FindGame("connect_four").value(), 1, 5);
  std::set<std::vector<Action>> dealt;
  for (std::uint32_t pair = 0; pair < 50; ++pair) dealt.insert(dealer.Opening(pair));
  EXPECT_EQ(dealt.size(), 50u);
}

TEST(OpeningDealer, NoPliesAreNeverMore) {
  const OpeningDealer dealer(*FindGame("hex3").value(), 0, 7);
  for (std::uint32_t pair = 0; pair < 9; ++pair) EXPECT_TRUE(dealer.Opening(pair).empty());
}

TEST(OpeningDealer, OpeningsAreLegalAndLeaveTheGameOpen) {
  for (const char* name : {"tic_tac_toe", "connect_four", "hex5"}) {
    const GameOps& game = *FindGame(name).value();
    for (const int plies : {0, 1, 2, 5, 8}) {
      const OpeningDealer dealer(game, plies, 3);
      for (std::uint32_t pair = 0; pair < 49; ++pair) {
        const std::vector<Action> opening = dealer.Opening(pair);
        const auto position = game.Replay(opening);
        ASSERT_TRUE(position.has_value());
        ASSERT_FALSE((*position)->FinalOutcome().has_value()) << name;
        if (plies == 0 || plies == 2) {  // each has 49 of so many plies, or none
          ASSERT_EQ(opening.size(), static_cast<std::size_t>(plies)) << name;
        }
      }
    }
  }
}

TEST(OpeningDealer, DependsOnTheSeedAlone) {
  const GameOps& game = *FindGame("hex5").value();
  const auto all = [&](std::uint64_t seed) {
    const OpeningDealer dealer(game, 2, seed);
    std::vector<std::vector<Action>> openings;
    for (std::uint32_t pair = 0; pair < 20; ++pair) openings.push_back(dealer.Opening(pair));
    return openings;
  };
  EXPECT_EQ(all(1), all(1));
  EXPECT_NE(all(1), all(2));
}

}  // namespace
}  // namespace az
