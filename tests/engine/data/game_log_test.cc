#include "engine/data/game_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "tests/engine/data/records.h"

namespace az {
namespace {

const GameId kGame = GameId::Make(GameKind::kSelfPlay, 4, 77);

// Collects what a log delivers.
struct Collected {
  std::vector<StitchedGame> games;
  GameLog log{[this](StitchedGame&& game) { games.push_back(std::move(game)); }};
};

MovePlayed Played(GameId id, int ply, int action) { return {id, TestMove(ply, action)}; }
GameEnded Ended(GameId id, int plies, Outcome outcome = Outcome::kFirstWins) {
  return {id, outcome, EndReason::kRules, static_cast<std::uint16_t>(plies)};
}
std::vector<Action> Actions(const GameRecord& game) {
  std::vector<Action> actions;
  for (const MoveRecord& move : game.moves) actions.push_back(move.action);
  return actions;
}

TEST(GameLog, DeliversAGameAtItsEnd) {
  Collected c;
  c.log.Add(GameStarted{kGame});
  c.log.Add(Played(kGame, 0, 5));
  c.log.Add(Played(kGame, 1, 6));
  EXPECT_TRUE(c.games.empty());
  EXPECT_FALSE(c.log.IsFinished(kGame));
  EXPECT_EQ(c.log.CommittedActions(kGame), (std::vector{Action{5}, Action{6}}));
  EXPECT_EQ(c.log.OpenGames(GameKind::kSelfPlay, 4), std::vector{kGame});
  c.log.Add(Ended(kGame, 2, Outcome::kSecondWins));
  ASSERT_EQ(c.games.size(), 1u);
  EXPECT_EQ(c.games[0].game.id, kGame);
  EXPECT_EQ(c.games[0].game.outcome, Outcome::kSecondWins);
  EXPECT_EQ(Actions(c.games[0].game), (std::vector{Action{5}, Action{6}}));
  EXPECT_FALSE(c.games[0].conflicted);
  EXPECT_TRUE(c.log.IsFinished(kGame));
  EXPECT_TRUE(c.log.CommittedActions(kGame).empty());
  EXPECT_TRUE(c.log.OpenGames(GameKind::kSelfPlay, 4).empty());
  EXPECT_EQ(c.log.FinishedGames(GameKind::kSelfPlay, 4), std::vector{kGame});
}

TEST(GameLog, KnowsWhereASideWouldHaveResignedFirst) {
  Collected c;
  const auto add = [&](int ply, float root_value, bool is_noted) {
    MovePlayed played = Played(kGame, ply, ply);
    played.move.root_value = root_value;
    played.move.flags = is_noted ? kMoveResignable : 0;
    c.log.Add(std::move(played));
  };
  add(0, -0.95f, false);
  add(1, -0.85f, true);
  add(2, -0.93f, true);
  add(4, -0.99f, true);  // ply 3 is not in
  EXPECT_EQ(c.log.FirstResignable(kGame, 0.8), 1);
  EXPECT_EQ(c.log.FirstResignable(kGame, 0.9), 2) << "noted at a threshold that was lower";
  EXPECT_EQ(c.log.FirstResignable(kGame, 0.96), std::nullopt) << "beyond what is whole";
  EXPECT_EQ(c.log.FirstResignable(GameId::Make(GameKind::kSelfPlay, 4, 78), 0.8), std::nullopt);
}

TEST(GameLog, StitchesRecordsInAnyOrder) {
  // The records of three games over two lanes, in random orders: always the same three games.
  std::vector<JournalRecord> records;
  std::vector<GameId> ids;
  for (std::uint32_t index = 0; index < 3; ++index) {
    ids.push_back(GameId::Make(GameKind::kSelfPlay, 1, index));
    records.push_back(GameStarted{ids.back()});
    for (int ply = 0; ply < 6; ++ply) {
      records.push_back(Played(ids.back(), ply, ply + static_cast<int>(index)));
    }
    records.push_back(Ended(ids.back(), 6));
  }
  Rng rng(42);
  for (int round = 0; round < 200; ++round) {
    for (std::size_t i = records.size(); i > 1; --i) {
      std::swap(records[i - 1], records[rng.Below(i)]);
    }
    Collected c;
    for (JournalRecord record : records) c.log.Add(std::move(record));
    ASSERT_EQ(c.games.size(), 3u);
    for (const StitchedGame& stitched : c.games) {
      const auto first = static_cast<int>(stitched.game.id.index());
      ASSERT_EQ(stitched.game.moves.size(), 6u);
      for (int ply = 0; ply < 6; ++ply) {
        ASSERT_EQ(stitched.game.moves[static_cast<std::size_t>(ply)].ply, ply);
        ASSERT_EQ(Index(stitched.game.moves[static_cast<std::size_t>(ply)].action), ply + first);
      }
    }
    EXPECT_EQ(c.log.FinishedGames(GameKind::kSelfPlay, 1), ids);
    EXPECT_TRUE(c.log.OpenGames(GameKind::kSelfPlay, 1).empty()) << "a late start opens nothing";
  }
}

TEST(GameLog, RepeatsAreDroppedAndCounted) {
  Collected c;
  c.log.Add(Played(kGame, 0, 5));
  c.log.Add(Played(kGame, 0, 5));
  c.log.Add(Ended(kGame, 1));
  c.log.Add(Ended(kGame, 1, Outcome::kSecondWins));
  c.log.Add(Played(kGame, 0, 5));
  ASSERT_EQ(c.games.size(), 1u);
  EXPECT_EQ(c.games[0].game.outcome, Outcome::kFirstWins) << "the first end counts";
  EXPECT_FALSE(c.games[0].conflicted);
  EXPECT_EQ(c.log.counts().moves, 1);
  EXPECT_EQ(c.log.counts().repeated_moves, 2);
  EXPECT_EQ(c.log.counts().repeated_ends, 1);
  EXPECT_EQ(c.log.counts().conflicting_moves, 0);
}

TEST(GameLog, AConflictMarksTheGame) {
  Collected c;
  c.log.Add(Played(kGame, 0, 5));
  c.log.Add(Played(kGame, 0, 6));
  EXPECT_EQ(c.log.CommittedActions(kGame), std::vector{Action{5}}) << "the first record stands";
  c.log.Add(Ended(kGame, 1));
  ASSERT_EQ(c.games.size(), 1u);
  EXPECT_TRUE(c.games[0].conflicted);
  EXPECT_EQ(c.log.counts().conflicting_moves, 1);
}

TEST(GameLog, MovesBeyondTheEndMarkTheGame) {
  Collected c;
  for (int ply = 0; ply < 4; ++ply) c.log.Add(Played(kGame, ply, ply));
  c.log.Add(Ended(kGame, 3));
  ASSERT_EQ(c.games.size(), 1u);
  EXPECT_TRUE(c.games[0].conflicted);
  EXPECT_EQ(c.games[0].game.moves.size(), 3u);
}

TEST(GameLog, AGapKeepsAGameOpen) {
  Collected c;
  c.log.Add(Played(kGame, 0, 5));
  c.log.Add(Played(kGame, 2, 7));
  c.log.Add(Ended(kGame, 3));
  EXPECT_TRUE(c.games.empty());
  EXPECT_EQ(c.log.CommittedActions(kGame), std::vector{Action{5}}) << "only up to the gap";
  EXPECT_EQ(c.log.GamesWithGaps(), std::vector{kGame});
  c.log.Add(Played(kGame, 1, 6));  // played again
  ASSERT_EQ(c.games.size(), 1u);
  EXPECT_EQ(c.games[0].game.moves.size(), 3u);
  EXPECT_TRUE(c.log.GamesWithGaps().empty());
}

TEST(GameLog, MovesPlayedAgainAreNotJoinedToWhatWasBeyondAGap) {
  Collected c;
  const GameId other = GameId::Make(GameKind::kSelfPlay, 4, 78);
  c.log.Add(Played(kGame, 0, 5));
  c.log.Add(Played(kGame, 2, 7));
  c.log.Add(Ended(kGame, 3));
  c.log.Add(Played(other, 1, 2));  // its beginning is lost, and its end not yet there
  EXPECT_EQ(c.log.ForgetBeyondGaps(), 2u);
  EXPECT_TRUE(c.log.GamesWithGaps().empty());
  EXPECT_EQ(c.log.CommittedActions(kGame), std::vector{Action{5}});
  EXPECT_EQ(c.log.OpenGames(GameKind::kSelfPlay, 4), (std::vector{kGame, other}));
  for (const auto& [ply, action] : {std::pair{1, 7}, {2, 8}, {3, 1}}) {
    EXPECT_TRUE(c.games.empty());
    c.log.Add(Played(kGame, ply, action));
  }
  EXPECT_EQ(c.log.ForgetBeyondGaps(), 0u) << "a game without a gap loses nothing";
  c.log.Add(Ended(kGame, 4, Outcome::kDraw));
  ASSERT_EQ(c.games.size(), 1u);
  EXPECT_FALSE(c.games[0].conflicted);
  EXPECT_EQ(c.games[0].game.outcome, Outcome::kDraw);
  EXPECT_EQ(Actions(c.games[0].game), (std::vector{Action{5}, Action{7}, Action{8}, Action{1}}));
}

TEST(GameLog, AFailedGameIsFinishedWithoutAnOutcome) {
  Collected c;
  c.log.Add(Played(kGame, 0, 5));
  c.log.Add(GameEnded{kGame, std::nullopt, EndReason::kFailed, 1});
  ASSERT_EQ(c.games.size(), 1u);
  EXPECT_FALSE(c.games[0].game.outcome.has_value());
  EXPECT_EQ(c.log.counts().failed, 1);
  EXPECT_TRUE(c.log.IsFinished(kGame));
}

TEST(GameLog, KindsAndIterationsAreApart) {
  Collected c;
  const GameId gate = GameId::Make(GameKind::kGate, 4, 77);
  const GameId next = GameId::Make(GameKind::kSelfPlay, 5, 77);
  for (const GameId id : {kGame, gate, next}) c.log.Add(GameStarted{id});
  c.log.Add(Ended(gate, 0));
  EXPECT_TRUE(c.log.IsFinished(gate));
  EXPECT_FALSE(c.log.IsFinished(kGame));
  EXPECT_EQ(c.log.OpenGames(GameKind::kSelfPlay, 4), std::vector{kGame});
  EXPECT_EQ(c.log.OpenGames(GameKind::kSelfPlay, 5), std::vector{next});
  EXPECT_TRUE(c.log.OpenGames(GameKind::kGate, 4).empty());
  EXPECT_EQ(c.log.FinishedGames(GameKind::kGate, 4), std::vector{gate});
  EXPECT_TRUE(c.log.FinishedGames(GameKind::kSelfPlay, 4).empty());
  c.log.DropOpenGames(GameKind::kSelfPlay, 4);
  EXPECT_TRUE(c.log.OpenGames(GameKind::kSelfPlay, 4).empty());
  EXPECT_EQ(c.log.OpenGames(GameKind::kSelfPlay, 5), std::vector{next});
}

}  // namespace
}  // namespace az
