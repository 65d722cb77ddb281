#include "engine/fleet/lane_journals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "base/strings.h"
#include "engine/process/proc_memory.h"

namespace az {
namespace {

class LaneJournalsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + StrCat("lane_journals_", ::getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  JournalWriter Writer(std::uint32_t lane) {
    JournalIdentity identity = identity_;
    identity.lane = lane;
    return *JournalWriter::Open(folder_ / LaneJournalName(static_cast<int>(lane)), identity);
  }
  static void Play(JournalWriter& writer, GameId id, bool to_its_end) {
    ASSERT_TRUE(writer.StartGame(id));
    ASSERT_TRUE(writer.Move(id, {.ply = 0, .action = Action{4}}));
    if (to_its_end) {
      ASSERT_TRUE(writer.EndGame({.id = id, .outcome = Outcome::kDraw, .plies = 1}));
    }
  }

  std::filesystem::path folder_;
  JournalIdentity identity_{.game_hash = 7, .entry = "tic_tac_toe"};
};

TEST_F(LaneJournalsTest, PutsTheGamesOfAllLanesTogether) {
  JournalWriter first = Writer(0);
  JournalWriter second = Writer(5);  // of an earlier start with more lanes
  Play(first, GameId::Make(GameKind::kSelfPlay, 1, 0), true);
  Play(second, GameId::Make(GameKind::kSelfPlay, 1, 1), true);
  Play(second, GameId::Make(GameKind::kSelfPlay, 1, 2), false);
  const auto journals = *LaneJournals::Open(folder_, identity_, 2);
  EXPECT_EQ(journals->Finished(GameKind::kSelfPlay, 1).size(), 2u);
  EXPECT_EQ(journals->log().OpenGames(GameKind::kSelfPlay, 1).size(), 1u);
  EXPECT_EQ(journals->AllBytes().size(), 3u);
  EXPECT_EQ(journals->valid_bytes(0), first.size_bytes());
}

TEST_F(LaneJournalsTest, GamesOfTheSameMovesHaveTheSameHash) {
  JournalWriter writer = Writer(0);
  for (std::uint32_t index = 0; index < 3; ++index) {
    const GameId id = GameId::Make(GameKind::kGate, 1, index);
    ASSERT_TRUE(writer.StartGame(id));
    ASSERT_TRUE(writer.Move(id, {.ply = 0, .action = Action{4}}));
    const std::uint16_t last = index == 2 ? 6 : 5;
    ASSERT_TRUE(writer.Move(id, {.ply = 1, .action = Action{last}}));
    ASSERT_TRUE(writer.EndGame({.id = id, .outcome = Outcome::kDraw, .plies = 2}));
  }
  const auto journals = *LaneJournals::Open(folder_, identity_, 1);
  const std::vector<FinishedGame> games = journals->Finished(GameKind::kGate, 1);
  ASSERT_EQ(games.size(), 3u);
  EXPECT_EQ(games[0].moves, games[1].moves);
  EXPECT_NE(games[0].moves, games[2].moves);
}

TEST_F(LaneJournalsTest, TellsOfGamesThatFinishWhileItFollows) {
  JournalWriter writer = Writer(0);
  const auto journals = *LaneJournals::Open(folder_, identity_, 1);
  int told = 0;
  journals->OnFinished([&](const FinishedGame& game) {
    ++told;
    EXPECT_EQ(game.outcome, Outcome::kDraw);
    EXPECT_EQ(game.plies, 1);
  });
  Play(writer, GameId::Make(GameKind::kSelfPlay, 0, 3), true);
  ASSERT_TRUE(journals->PollLane(0));
  EXPECT_EQ(told, 1);
}

// A worker that died did not sync its lane, and nobody else does.
TEST_F(LaneJournalsTest, NamesNoBytesThatAreNotOnTheDisk) {
  for (const std::uint32_t lane : {0u, 5u}) {
    JournalWriter writer = Writer(lane);
    Play(writer, GameId::Make(GameKind::kSelfPlay, 0, lane), false);
  }
  const auto journals = *LaneJournals::Open(folder_, identity_, 2);
  std::vector<std::filesystem::path> synced;
  journals->set_sync([&](const JournalReader& reader) -> Result<void> {
    synced.push_back(reader.path().filename());
    return reader.Sync();  // lane 1 has no file yet
  });
  const auto bytes = journals->SyncedBytes();
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(synced, (std::vector<std::filesystem::path>{LaneJournalName(0), LaneJournalName(1),
                                                        LaneJournalName(5)}));
  EXPECT_EQ(bytes->size(), 3u);
  EXPECT_EQ(bytes->back().bytes, journals->valid_bytes(5));
  journals->set_sync([](const JournalReader& reader) -> Result<void> {
    if (reader.path().filename() != LaneJournalName(5)) return {};
    return Error{Errc::kIo, "sync lane 5"};
  });
  EXPECT_EQ(journals->SyncedBytes().error().message, "sync lane 5");
}

// A long run has millions, and nobody asks for those of earlier iterations.
TEST_F(LaneJournalsTest, FinishedSelfPlayOfEarlierIterationsIsKnownButNotKept) {
  JournalWriter writer = Writer(0);
  for (std::uint32_t iteration = 0; iteration < 3; ++iteration) {
    Play(writer, GameId::Make(GameKind::kSelfPlay, iteration, 0), true);
    Play(writer, GameId::Make(GameKind::kSelfPlay, iteration, 1), false);
    Play(writer, GameId::Make(GameKind::kMatch, iteration, 0), true);
  }
  const auto journals = *LaneJournals::Open(folder_, identity_, 1, 2);
  EXPECT_TRUE(journals->Finished(GameKind::kSelfPlay, 0).empty());
  EXPECT_TRUE(journals->Finished(GameKind::kSelfPlay, 1).empty());
  EXPECT_EQ(journals->Finished(GameKind::kSelfPlay, 2).size(), 1u);
  EXPECT_EQ(journals->Finished(GameKind::kMatch, 0).size(), 1u) << "a match has its own numbers";
  EXPECT_TRUE(journals->log().IsFinished(GameId::Make(GameKind::kSelfPlay, 0, 0)));
  EXPECT_EQ(journals->log().OpenGames(GameKind::kSelfPlay, 1).size(), 1u);
}

// The bill of the supervisor's memory does not know the number of lanes.
TEST_F(LaneJournalsTest, LanesTakeNoBufferEach) {
  constexpr std::uint32_t kLanes = 64;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    JournalWriter writer = Writer(lane);
    Play(writer, GameId::Make(GameKind::kSelfPlay, 0, lane), true);
  }
  const Bytes before = ReadProcMemory(::getpid())->anonymous;
  const auto journals = *LaneJournals::Open(folder_, identity_, kLanes);
  EXPECT_EQ(journals->Finished(GameKind::kSelfPlay, 0).size(), kLanes);
  EXPECT_LT(ReadProcMemory(::getpid())->anonymous - before, MiB(8));
}

TEST_F(LaneJournalsTest, ADecidedMatchLeavesNothingBehindAndSelfPlayKeepsWhatIsOpen) {
  JournalWriter writer = Writer(0);
  for (std::uint32_t iteration = 0; iteration < 3; ++iteration) {
    Play(writer, GameId::Make(GameKind::kGate, iteration, 0), true);
    Play(writer, GameId::Make(GameKind::kGate, iteration, 1), false);
    Play(writer, GameId::Make(GameKind::kSelfPlay, iteration, 0), true);
    Play(writer, GameId::Make(GameKind::kSelfPlay, iteration, 1), false);
  }
  const auto journals = *LaneJournals::Open(folder_, identity_, 1);
  journals->Forget(GameKind::kGate, 1);
  journals->Forget(GameKind::kSelfPlay, 1);
  EXPECT_TRUE(journals->log().OpenGames(GameKind::kGate, 0).empty());
  EXPECT_TRUE(journals->log().OpenGames(GameKind::kGate, 1).empty());
  EXPECT_EQ(journals->log().OpenGames(GameKind::kGate, 2).size(), 1u);
  EXPECT_EQ(journals->log().OpenGames(GameKind::kSelfPlay, 1).size(), 1u);
  for (const GameKind kind : {GameKind::kGate, GameKind::kSelfPlay}) {
    EXPECT_TRUE(journals->Finished(kind, 0).empty());
    EXPECT_EQ(journals->Finished(kind, 1).size(), 1u);
  }
}

}  // namespace
}  // namespace az
