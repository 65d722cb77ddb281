#include "engine/records/recorded_games.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "engine/data/journal_repairs.h"
#include "games/registry.h"
#include "tests/engine/data/random_journal.h"

namespace az {
namespace {

namespace fs = std::filesystem;

const GameOps& Ops() { return **FindGame("hex5"); }

GameId SelfPlay(std::uint32_t iteration, std::uint32_t index) {
  return GameId::Make(GameKind::kSelfPlay, iteration, index);
}

class RecordedGamesTest : public ::testing::Test {
 protected:
  RecordedGamesTest() {
    fs::create_directories(folder_ / "journal");
    WriteRandomGames(Lane(0), Ops(),
                     {SelfPlay(0, 1), SelfPlay(1, 0), GameId::Make(GameKind::kFinal, 8, 0)});
    WriteRandomGames(
        Lane(1), Ops(),
        {SelfPlay(0, 0), GameId::Make(GameKind::kGate, 0, 0), GameId::Make(GameKind::kGate, 0, 1)},
        /*lane=*/1);
  }
  fs::path Lane(int lane) { return folder_ / StrCat("journal/lane_00", lane, ".journal"); }
  std::vector<std::string> Names(const RecordsQuery& query) {
    const Result<RecordedGames> read = ReadRecordedGames(folder_ / "", query);
    EXPECT_TRUE(read.has_value()) << read.error().message;
    std::vector<std::string> names;
    for (const RecordedGame& game : read->games) names.push_back(game.game.name);
    return names;
  }
  TemporaryFolder folder_;
};

TEST_F(RecordedGamesTest, ReadsAllLanesInOrder) {
  EXPECT_EQ(Names({}), (std::vector<std::string>{"self_play/0/0", "self_play/0/1", "gate/0/0",
                                                 "gate/0/1", "self_play/1/0", "final/8/0"}));
  const Result<RecordedGames> read = ReadRecordedGames(folder_ / "journal", {});
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->notes.empty());
  EXPECT_EQ(read->ops, &Ops());
  EXPECT_EQ(read->games[2].game.players, (std::array<std::string, 2>{"candidate", "best"}));
  EXPECT_EQ(read->games[3].game.players, (std::array<std::string, 2>{"best", "candidate"}));
  EXPECT_EQ(read->games[0].game.moves.size(), RandomGame(Ops(), SelfPlay(0, 0)).moves.size());
}

TEST_F(RecordedGamesTest, LeavesTheYardsticksPositionsOutUntilTheyAreAskedFor) {
  WriteRandomGames(Lane(2), Ops(), {GameId::Make(GameKind::kYardstick, 64, 3), SelfPlay(2, 0)}, 2);
  EXPECT_EQ(Names({.iteration = 2}), std::vector<std::string>{"self_play/2/0"});
  EXPECT_EQ(Names({.iteration = 64}), std::vector<std::string>{});
  EXPECT_EQ(Names({.kind = GameKind::kYardstick}), std::vector<std::string>{"yardstick/64/3"});
}

TEST_F(RecordedGamesTest, Selects) {
  EXPECT_EQ(Names({.kind = GameKind::kGate}).size(), 2U);
  EXPECT_EQ(Names({.iteration = 1}), std::vector<std::string>{"self_play/1/0"});
  EXPECT_EQ(Names({.last = 2}), (std::vector<std::string>{"self_play/1/0", "final/8/0"}));
  EXPECT_EQ(Names({.kind = GameKind::kMatch}).size(), 0U);
}

TEST_F(RecordedGamesTest, SaysWhatIsDamagedAndReadsTheRest) {
  {
    std::fstream file(Lane(1), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(Lane(1)) / 2));
    file << "damage";
  }
  std::ofstream(folder_ / "journal/lane_002.journal") << "not a journal at all";
  fs::resize_file(Lane(0), fs::file_size(Lane(0)) - 3);
  const Result<RecordedGames> read = ReadRecordedGames(folder_ / "", {});
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->notes.size(), 3U);
  EXPECT_NE(read->notes[0].find("lane_000.journal: its last record is not whole"),
            std::string::npos);
  EXPECT_NE(read->notes[1].find("lane_001.journal: damaged at byte"), std::string::npos);
  EXPECT_NE(read->notes[2].find("lane_002.journal"), std::string::npos);
  EXPECT_GE(read->games.size(), 3U);
}

// Begun in lane 3 and finished in lane 4; then moves of lane 3 were lost and the game was played
// again.
TEST_F(RecordedGamesTest, AGameThatWasPlayedAgainIsNotJoinedToTheLostOne) {
  JournalIdentity identity = TestIdentity();
  identity.game_hash = Ops().info().Hash();
  std::vector<JournalWriter> lanes;
  for (identity.lane = 3; identity.lane < 5; ++identity.lane) {
    lanes.push_back(JournalWriter::Open(Lane(static_cast<int>(identity.lane)), identity).value());
  }
  const GameId id = SelfPlay(3, 0);
  ASSERT_TRUE(lanes[0].Move(id, TestMove(0, 0)).has_value());
  ASSERT_TRUE(lanes[1].Move(id, TestMove(2, 2)).has_value());
  ASSERT_TRUE(lanes[1].EndGame({.id = id, .outcome = Outcome::kFirstWins, .plies = 3}).has_value());
  const JournalPoint now = {{"lane_003.journal", lanes[0].size_bytes()},
                            {"lane_004.journal", lanes[1].size_bytes()}};
  EXPECT_EQ(ReadRecordedGames(folder_ / "", {})->notes.size(), 1U) << "the game with a gap";
  ASSERT_TRUE(WriteRepairs(folder_ / "journal", std::vector{now}).has_value());
  ASSERT_TRUE(lanes[0].Move(id, TestMove(1, 2)).has_value());
  EXPECT_EQ(Names({.iteration = 3}), std::vector<std::string>{});
  ASSERT_TRUE(
      lanes[0].EndGame({.id = id, .outcome = Outcome::kSecondWins, .plies = 2}).has_value());
  const Result<RecordedGames> read = ReadRecordedGames(folder_ / "", {.iteration = 3});
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->notes.empty());
  ASSERT_EQ(read->games.size(), 1U);
  EXPECT_EQ(read->games[0].game.moves.size(), 2U);
}

TEST_F(RecordedGamesTest, FailsWithoutAJournal) {
  EXPECT_EQ(ReadRecordedGames(folder_ / "nowhere", {}).error().code, Errc::kNotFound);
  fs::create_directories(folder_ / "empty");
  EXPECT_EQ(ReadRecordedGames(folder_ / "empty", {}).error().code, Errc::kNotFound);
  fs::create_directories(folder_ / "junk");
  std::ofstream(folder_ / "junk/lane_000.journal") << std::string(500, 'x');
  EXPECT_EQ(ReadRecordedGames(folder_ / "junk", {}).error().code, Errc::kCorrupt);
}

}  // namespace
}  // namespace az
