#include "engine/fleet/game_dealer.h"

#include <gtest/gtest.h>

namespace az {
namespace {

GameId Id(std::uint32_t iteration, std::uint32_t index) {
  return GameId::Make(GameKind::kSelfPlay, iteration, index);
}

GameDealer::Options FiveGames(int per_lane) {
  return {.kind = GameKind::kSelfPlay, .iteration = 3, .games = 5, .per_lane = per_lane};
}

TEST(GameDealer, DealsEachWantedGameOnceAndCountsIt) {
  GameDealer dealer(FiveGames(2), {}, {});
  EXPECT_EQ(dealer.Deal(0), (std::vector<GameId>{Id(3, 0), Id(3, 1)}));
  EXPECT_EQ(dealer.Deal(1), (std::vector<GameId>{Id(3, 2), Id(3, 3)}));
  EXPECT_TRUE(dealer.Deal(0).empty());
  EXPECT_TRUE(dealer.Finish(Id(3, 1)));
  EXPECT_EQ(dealer.Deal(0), (std::vector<GameId>{Id(3, 4)}));
  for (const std::uint32_t index : {0u, 2u, 3u, 4u}) EXPECT_TRUE(dealer.Finish(Id(3, index)));
  EXPECT_TRUE(dealer.AllFinished());
}

TEST(GameDealer, AMatchIsSharedByTheLanesThoughOneCouldHoldItAll) {
  GameDealer::Options options = FiveGames(96);
  options.games = 100;
  options.lanes = 2;
  GameDealer dealer(options, {}, {});
  EXPECT_EQ(dealer.Deal(0).size(), 50u);
  EXPECT_EQ(dealer.Deal(1).size(), 50u);
}

TEST(GameDealer, ALaneThatIsGoneDoesNotHoldUpTheGames) {
  GameDealer::Options options = FiveGames(96);
  options.lanes = 3;
  GameDealer dealer(options, {}, {});
  int rounds = 0;
  while (!dealer.AllFinished() && ++rounds < 10) {
    for (const GameId id : dealer.Deal(2)) dealer.Finish(id);
  }
  EXPECT_TRUE(dealer.AllFinished()) << dealer.finished();
}

TEST(GameDealer, CountsAGameOnceHoweverOftenItIsReported) {
  GameDealer dealer(FiveGames(5), {}, {});
  dealer.Deal(0);
  EXPECT_TRUE(dealer.Finish(Id(3, 0)));
  EXPECT_FALSE(dealer.Finish(Id(3, 0)));
  EXPECT_FALSE(dealer.Finish(Id(2, 1)));  // another iteration
  EXPECT_FALSE(dealer.Finish(GameId::Make(GameKind::kGate, 3, 1)));
  EXPECT_EQ(dealer.finished(), 1u);
}

TEST(GameDealer, GamesOfALostLaneGoBackAndComeFirst) {
  GameDealer dealer(FiveGames(2), {}, {});
  dealer.Deal(0);
  dealer.Finish(Id(3, 0));
  dealer.LaneLost(0);
  EXPECT_EQ(dealer.Deal(1), (std::vector<GameId>{Id(3, 1), Id(3, 2)}));
}

TEST(GameDealer, ResumesFromTheJournal) {
  const std::set<GameId> finished = {Id(3, 0), Id(3, 4), Id(2, 1)};
  GameDealer dealer(FiveGames(10), finished, {Id(3, 2), Id(3, 4)});
  EXPECT_EQ(dealer.finished(), 2u);
  // The open game goes on first.
  EXPECT_EQ(dealer.Deal(0), (std::vector<GameId>{Id(3, 2), Id(3, 1), Id(3, 3)}));
}

TEST(GameDealer, ExtraGamesKeepLanesBusyAndDoNotCount) {
  GameDealer::Options options = FiveGames(4);
  options.extra_games = 2;
  GameDealer dealer(options, {}, {});
  EXPECT_EQ(dealer.Deal(0).size(), 4u);
  EXPECT_EQ(dealer.Deal(1), (std::vector<GameId>{Id(3, 4), Id(4, 0), Id(4, 1)}));
  EXPECT_FALSE(dealer.Finish(Id(4, 0)));
  EXPECT_EQ(dealer.finished(), 0u);
  for (std::uint32_t index = 0; index < 5; ++index) dealer.Finish(Id(3, index));
  EXPECT_TRUE(dealer.AllFinished());
}

}  // namespace
}  // namespace az
