#include "engine/data/replay_feed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/files.h"
#include "engine/data/journal_repairs.h"
#include "games/registry.h"
#include "tests/engine/data/random_games.h"
#include "tests/engine/data/records.h"

namespace az {
namespace {

// Two lanes of one run, written game by game.
class ReplayFeedTest : public ::testing::Test {
 protected:
  ReplayFeedTest() : game_(*FindGame("tic_tac_toe").value()) {
    identity_ = TestIdentity();
    identity_.entry = "tic_tac_toe";
    for (std::uint32_t lane = 0; lane < 2; ++lane) {
      identity_.lane = lane;
      paths_.push_back(folder_ / StrCat("lane_00", lane, ".journal"));
      lanes_.push_back(JournalWriter::Open(paths_.back(), identity_).value());
    }
  }

  // The moves from `ply` on in lane `to`; the ones before in the other.
  void Write(const GameRecord& record, int to, std::size_t ply = 0) {
    ASSERT_TRUE(lanes_[static_cast<std::size_t>(1 - to)].StartGame(record.id).has_value());
    for (const MoveRecord& move : record.moves) {
      const int lane = move.ply < ply ? 1 - to : to;
      ASSERT_TRUE(lanes_[static_cast<std::size_t>(lane)].Move(record.id, move).has_value());
    }
    const GameEnded end{record.id, record.outcome, record.reason,
                        static_cast<std::uint16_t>(record.moves.size())};
    ASSERT_TRUE(lanes_[static_cast<std::size_t>(to)].EndGame(end).has_value());
  }
  GameRecord Game(std::uint32_t iteration, std::uint32_t index) const {
    return RandomGame(game_, GameId::Make(GameKind::kSelfPlay, iteration, index));
  }
  std::vector<JournalExtent> Extents() const {
    std::vector<JournalExtent> extents;
    for (std::size_t i = 0; i < 2; ++i) extents.push_back({paths_[i], lanes_[i].size_bytes()});
    return extents;
  }

  TemporaryFolder folder_;
  const GameOps& game_;
  JournalIdentity identity_;
  std::vector<std::filesystem::path> paths_;
  std::vector<JournalWriter> lanes_;
};

std::vector<GameId> Ids(const PositionStore& store) {
  std::vector<GameId> ids;
  for (const PackedGame& game : store.games()) ids.push_back(game.id());
  return ids;
}

TEST_F(ReplayFeedTest, ReadsGamesThatChangedTheirLane) {
  ReplayWindow window({.held_out_fraction = 0});
  ReplayFeed feed(game_, identity_, window);
  Write(Game(0, 0), 0, 3);
  Write(Game(0, 1), 1, 2);
  Write(RandomGame(game_, GameId::Make(GameKind::kGate, 0, 0)), 0);  // nothing to learn from
  ASSERT_TRUE(feed.ReadTo(Extents(), 0).has_value());
  EXPECT_EQ(Ids(window.train()), (std::vector{Game(0, 0).id, Game(0, 1).id}));
  EXPECT_EQ(window.made_positions(),
            static_cast<std::int64_t>(Game(0, 0).moves.size() + Game(0, 1).moves.size()));
  Write(Game(1, 0), 0);
  ASSERT_TRUE(feed.ReadTo(Extents(), 1).has_value());
  EXPECT_EQ(window.train().games().size(), 3u) << "only what is new is read";
}

TEST_F(ReplayFeedTest, ARepeatedTrainingSeesTheSameGames) {
  Write(Game(0, 0), 0);
  Write(Game(1, 5), 0);  // early
  Write(Game(0, 1), 1, 2);
  const auto extents = Extents();
  Write(Game(0, 2), 1);  // after the extents were written down
  for (int attempt = 0; attempt < 2; ++attempt) {
    ReplayWindow window({.held_out_fraction = 0});
    ReplayFeed feed(game_, identity_, window);
    ASSERT_TRUE(feed.ReadTo(extents, 0).has_value());
    EXPECT_EQ(Ids(window.train()), (std::vector{Game(0, 0).id, Game(0, 1).id}));
  }
}

TEST_F(ReplayFeedTest, LeavesOutWhatCannotBeLearnedFrom) {
  Write(Game(0, 0), 0);
  GameRecord failed = Game(0, 1);
  failed.outcome.reset();
  failed.reason = EndReason::kFailed;
  Write(failed, 0);
  const GameRecord twice = Game(0, 2);
  MoveRecord other = twice.moves[0];
  other.action = static_cast<Action>((Index(other.action) + 1) % 9);
  ASSERT_TRUE(lanes_[0].Move(twice.id, other).has_value());
  Write(twice, 1);
  ReplayWindow window({.held_out_fraction = 0});
  ReplayFeed feed(game_, identity_, window);
  ASSERT_TRUE(feed.ReadTo(Extents(), 0).has_value());
  EXPECT_EQ(feed.counts().games, 1);
  EXPECT_EQ(feed.counts().failed_games, 1);
  EXPECT_EQ(feed.counts().conflicted_games, 1);
  EXPECT_EQ(Ids(window.train()), std::vector{Game(0, 0).id});
}

// A game that went on in another lane, whose moves 2 and 3 were then lost, and 2 and 3 of which
// were played again: with 5, of the lost game, they take the same cell twice.
TEST_F(ReplayFeedTest, MovesPlayedAgainAreNotJoinedToTheLostGame) {
  const GameId id = GameId::Make(GameKind::kSelfPlay, 0, 0);
  const auto move = [&](int lane, int ply, int cell) {
    ASSERT_TRUE(lanes_[static_cast<std::size_t>(lane)].Move(id, TestMove(ply, cell)).has_value());
  };
  const auto end = [&](int lane, Outcome outcome, std::uint16_t plies) {
    ASSERT_TRUE(lanes_[static_cast<std::size_t>(lane)]
                    .EndGame({.id = id, .outcome = outcome, .plies = plies})
                    .has_value());
  };
  move(0, 0, 0);
  move(0, 1, 1);
  move(1, 4, 4);
  move(1, 5, 5);
  move(1, 6, 6);
  end(1, Outcome::kFirstWins, 7);
  const JournalPoint now = {{"lane_000.journal", lanes_[0].size_bytes()},
                            {"lane_001.journal", lanes_[1].size_bytes()}};
  ASSERT_TRUE(WriteRepairs(folder_ / "", std::vector{now}).has_value());
  move(0, 2, 4);
  move(0, 3, 5);
  ReplayWindow window({.held_out_fraction = 0});
  ReplayFeed feed(game_, identity_, window);
  const Result<void> read = feed.ReadTo(Extents(), 0);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(feed.counts().games, 0) << "it goes on";
  move(1, 4, 8);  // a left-to-right diagonal for the first player
  end(1, Outcome::kFirstWins, 5);
  ReplayWindow later({.held_out_fraction = 0});
  ReplayFeed again(game_, identity_, later);
  for (auto* const feeding : {&feed, &again}) {
    const Result<void> whole = feeding->ReadTo(Extents(), 0);
    ASSERT_TRUE(whole.has_value()) << whole.error().message;
    EXPECT_EQ(feeding->counts().games, 1);
    EXPECT_EQ(feeding->counts().conflicted_games, 0);
  }
  EXPECT_EQ(window.made_positions(), later.made_positions());
  ASSERT_EQ(window.iteration(0)->games, 1);
  EXPECT_EQ(window.iteration(0)->plies, 5);
}

TEST_F(ReplayFeedTest, DamageAndShortFilesAreErrors) {
  Write(Game(0, 0), 0);
  auto extents = Extents();
  const auto fault = [&] {
    ReplayWindow window({.held_out_fraction = 0});
    ReplayFeed feed(game_, identity_, window);
    const Result<void> read = feed.ReadTo(extents, 0);
    EXPECT_FALSE(read.has_value());
    EXPECT_EQ(read.error().code, Errc::kCorrupt);
    return read.error().message;
  };
  extents[0].bytes += 1;
  EXPECT_NE(fault().find("it is shorter"), std::string::npos);
  extents[0].bytes -= 2;
  EXPECT_NE(fault().find("inside a record"), std::string::npos);
  extents = Extents();
  std::string bytes = ReadFile(paths_[0]).value();
  bytes[bytes.size() - 10] ^= 1;
  ASSERT_TRUE(WriteFileAtomic(paths_[0], bytes).has_value());
  EXPECT_NE(fault().find("checksum"), std::string::npos);
}

TEST_F(ReplayFeedTest, AnIllegalGameIsNamed) {
  GameRecord illegal = Game(7, 9);
  illegal.moves[2].action = illegal.moves[0].action;
  Write(illegal, 0);
  ReplayWindow window({.held_out_fraction = 0});
  ReplayFeed feed(game_, identity_, window);
  const Result<void> read = feed.ReadTo(Extents(), 7);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, Errc::kCorrupt);
  EXPECT_NE(read.error().message.find("iteration 7, index 9), ply 2"), std::string::npos)
      << read.error().message;
}

TEST_F(ReplayFeedTest, ForeignJournalsAreRefused) {
  Write(Game(0, 0), 0);
  ReplayWindow window({});
  identity_.run_id[3] ^= 1;
  ReplayFeed feed(game_, identity_, window);
  const Result<void> read = feed.ReadTo(Extents(), 0);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, Errc::kIncompatible);
}

}  // namespace
}  // namespace az
