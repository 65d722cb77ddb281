// Players without a network; those of checkpoints are in tests/engine/apps.

#include "engine/play/player_pools.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace az {
namespace {

TEST(PlayerPools, OnePoolForOnePlayerHoweverItIsWritten) {
  PlayerPools pools({.player = "mcts", .game = "hex", .board_size = 4}, {});
  const auto defaults = pools.PoolFor({});
  const auto written = pools.PoolFor({.player = "mcts", .game = "hex4"});
  const auto other = pools.PoolFor({.player = "mcts:sims=7"});
  ASSERT_TRUE(defaults && written && other);
  EXPECT_EQ(defaults->game->info().entry, "hex4");
  EXPECT_EQ(defaults->pool, written->pool);
  EXPECT_NE(defaults->pool, other->pool);
  EXPECT_EQ(other->simulations, 7);
  EXPECT_EQ(pools.Pools().size(), 2u);
  EXPECT_FALSE(pools.PoolFor({.player = "mcts:sims=0"}));
  EXPECT_TRUE(pools.Idle());
}

TEST(PlayerPools, TheOneUnusedLongestGivesWayUnlessItSearches) {
  PlayerPools pools({.player = "random"}, {});
  const std::vector<std::string> games = {"hex3", "hex4", "hex5", "hex6"};
  ASSERT_EQ(games.size(), PlayerPools::kMostOpen);
  for (const std::string& game : games) {
    const auto open = pools.PoolFor({.game = game});
    ASSERT_TRUE(open);
    open->pool->Add({.ticket = 1});
  }
  EXPECT_EQ(pools.PoolFor({.game = "hex7"}).error().code, Errc::kBusy);
  for (const std::string& game : {games[2], games[1]}) {
    ASSERT_TRUE(pools.PoolFor({.game = game})->pool->Run(Deadline::Never()));
  }
  ASSERT_TRUE(pools.PoolFor({.game = "hex7"}));
  EXPECT_EQ(pools.Pools().size(), PlayerPools::kMostOpen);
  // hex5 was used before hex4 was, and so it went; hex4 is there and needs no room.
  EXPECT_TRUE(pools.PoolFor({.game = "hex4"}));
  EXPECT_TRUE(pools.PoolFor({.game = "hex7"}));
}

}  // namespace
}  // namespace az
