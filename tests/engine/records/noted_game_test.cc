#include "engine/records/noted_game.h"

#include <gtest/gtest.h>

#include "games/registry.h"

namespace az {
namespace {

TEST(NotedGame, NamesKindsAndGames) {
  for (const GameKind kind :
       {GameKind::kSelfPlay, GameKind::kGate, GameKind::kFinal, GameKind::kMatch}) {
    EXPECT_EQ(*ParseGameKind(GameKindName(kind)), kind);
  }
  const Result<GameKind> unknown = ParseGameKind("selfplay");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().message.find("self_play, gate"), std::string::npos);
  EXPECT_EQ(GameName(GameId::Make(GameKind::kGate, 3, 17)), "gate/3/17");
}

TEST(NotedGame, LeavesOutValuesOfMovesWithoutASearch) {
  GameRecord record;
  record.moves = {{.action = Action{3}, .visits = 0, .root_value = 0.5f},
                  {.ply = 1, .action = Action{4}, .visits = 10, .root_value = -0.5f}};
  record.outcome = Outcome::kDraw;
  const NotedGame game = Noted(record, (**FindGame("connect_four")).info());
  EXPECT_EQ(game.moves[0], (NotedMove{.action = Action{3}, .visits = 0, .value = 0}));
  EXPECT_EQ(game.moves[1], (NotedMove{.action = Action{4}, .visits = 10, .value = -0.5f}));
  EXPECT_EQ(game.outcome, Outcome::kDraw);
}

TEST(NotedGame, EveryEndReasonHasItsName) {
  for (int i = 0; i <= static_cast<int>(kLastEndReason); ++i) {
    const auto reason = static_cast<EndReason>(i);
    EXPECT_EQ(ParseEndReason(EndReasonName(reason)), reason);
  }
  EXPECT_EQ(ParseEndReason("?"), std::nullopt);
}

}  // namespace
}  // namespace az
