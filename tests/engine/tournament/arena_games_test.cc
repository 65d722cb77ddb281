#include "engine/tournament/arena_games.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "engine/records/game_text.h"
#include "engine/tournament/arena_identity.h"
#include "games/registry.h"
#include "tests/engine/data/random_journal.h"

namespace az {
namespace {

namespace fs = std::filesystem;

const GameOps& Ops() { return **FindGame("hex5"); }

// A gauntlet of three: matches 0 (a, b) and 1 (a, c), a pair of games each.
class ArenaGamesTest : public ::testing::Test {
 protected:
  ArenaGamesTest() {
    fs::create_directories(folder_ / "journal");
    const auto game = [](std::uint32_t match, std::uint32_t index) {
      return GameId::Make(GameKind::kMatch, match, index);
    };
    WriteRandomGames(folder_ / "journal/lane_000.journal", Ops(),
                     {game(0, 0), game(0, 1), game(1, 0), game(1, 1)});
  }
  void WriteIdentity() {
    ArenaIdentity identity;
    identity.game = "hex5";
    identity.format = "gauntlet";
    identity.players = {{"mcts:sims=64", 0}, {"random", 0}, {"runs/x@iter=3", 7}};
    identity.games = 2;
    ASSERT_TRUE(WriteFileAtomic(folder_ / std::string(kArenaFile), ToJson(identity)).has_value());
  }
  TemporaryFolder folder_;
};

TEST_F(ArenaGamesTest, WritesEveryGameWithItsPlayers) {
  WriteIdentity();
  ASSERT_TRUE(WriteArenaGames(folder_ / "").has_value());
  const Result<GamesRead> read = ReadGames(ReadFile(folder_ / "games.sgf").value(), Ops());
  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_EQ(read->games.size(), 4U);
  using Players = std::array<std::string, 2>;
  EXPECT_EQ(read->games[0].players, (Players{"mcts:sims=64", "random"}));
  EXPECT_EQ(read->games[1].players, (Players{"random", "mcts:sims=64"}));
  EXPECT_EQ(read->games[3].players, (Players{"runs/x@iter=3", "mcts:sims=64"}));
  EXPECT_EQ(read->games[3].name, "match/1/1");
}

TEST_F(ArenaGamesTest, LeavesNamesWhereThereIsNoArena) {
  RecordedGames read = std::move(ReadRecordedGames(folder_ / "", {}).value());
  ASSERT_TRUE(NameArenaPlayers(folder_ / "", read).has_value());
  EXPECT_EQ(read.games[0].game.players[1], "opponent");
  ASSERT_TRUE(WriteFileAtomic(folder_ / std::string(kArenaFile), "{").has_value());
  EXPECT_FALSE(NameArenaPlayers(folder_ / "", read).has_value());
}

}  // namespace
}  // namespace az
