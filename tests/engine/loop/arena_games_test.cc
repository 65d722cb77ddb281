#include "engine/loop/arena_games.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "engine/data/journal.h"
#include "engine/loop/arena_identity.h"
#include "engine/records/game_text.h"
#include "games/registry.h"
#include "tests/engine/data/random_games.h"
#include "tests/engine/data/records.h"

namespace az {
namespace {

namespace fs = std::filesystem;

const GameOps& Ops() { return **FindGame("hex5"); }

// A gauntlet of three: matches 0 (a, b) and 1 (a, c), a pair of games each.
class ArenaGamesTest : public ::testing::Test {
 protected:
  ArenaGamesTest() {
    fs::create_directories(folder_ / "journal");
    JournalIdentity identity = TestIdentity();
    identity.game_hash = Ops().info().Hash();
    identity.lane = 0;
    JournalWriter writer =
        std::move(JournalWriter::Open(folder_ / "journal/lane_000.journal", identity).value());
    for (const std::uint32_t match : {0U, 1U}) {
      for (const std::uint32_t index : {0U, 1U}) {
        const GameId id = GameId::Make(GameKind::kMatch, match, index);
        const GameRecord game = RandomGame(Ops(), id);
        for (const MoveRecord& move : game.moves) EXPECT_TRUE(writer.Move(id, move).has_value());
        const auto plies = static_cast<std::uint16_t>(game.moves.size());
        EXPECT_TRUE(
            writer
                .EndGame({.id = id, .outcome = game.outcome, .reason = game.reason, .plies = plies})
                .has_value());
      }
    }
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
