#include "engine/records/move_list.h"

#include <gtest/gtest.h>

#include "games/registry.h"

namespace az {
namespace {

const GameOps& Ops(std::string_view entry) { return **FindGame(entry); }

std::string ErrorOf(std::string_view text) {
  const Result<std::vector<NotedGame>> games = ReadMoveLists(text, Ops("connect_four"));
  return games ? "" : games.error().message;
}

constexpr std::string_view kGame =
    "game connect_four\n"
    "name gate/3/17\n"
    "first best\n"
    "second candidate\n"
    "result 1-0 resigned\n"
    "moves 4 4 3\n"
    "values 0.2500/200 - -0.5000/100\n"
    "\n";

TEST(MoveList, ReadsAndWritesTheSameText) {
  const auto games = ReadMoveLists(kGame, Ops("connect_four"));
  ASSERT_TRUE(games.has_value()) << games.error().message;
  ASSERT_EQ(games->size(), 1U);
  const NotedGame& game = games->front();
  EXPECT_EQ(game.players[1], "candidate");
  EXPECT_EQ(game.outcome, Outcome::kFirstWins);
  EXPECT_EQ(game.moves[2].value, -0.5f);
  EXPECT_EQ(game.moves[1].visits, 0U);
  EXPECT_EQ(*WriteMoveList(game, Ops("connect_four")), kGame);
}

TEST(MoveList, NeedsOnlyMoves) {
  const auto games = ReadMoveLists("# openings\r\nmoves 4 4\r\n\n\nmoves\n\nmoves 1 2 1 2 1 2 1",
                                   Ops("connect_four"));
  ASSERT_TRUE(games.has_value()) << games.error().message;
  ASSERT_EQ(games->size(), 3U);
  EXPECT_EQ((*games)[0].outcome, std::nullopt);
  EXPECT_TRUE((*games)[1].moves.empty());
  EXPECT_EQ((*games)[2].outcome, Outcome::kFirstWins);
}

TEST(MoveList, RefusesWithTheLine) {
  EXPECT_EQ(ErrorOf(""), "no game in this text");
  EXPECT_EQ(ErrorOf("game hex5\nmoves a1"), "line 1: a game of 'hex5', not of connect_four");
  EXPECT_EQ(ErrorOf("moves 4\nmoves 4"), "line 2: 'moves' comes twice (an empty line ends a game)");
  EXPECT_EQ(ErrorOf("\nname x\n\n"), "line 2: a game without moves");
  EXPECT_NE(ErrorOf("name x\nmoves 4 9").find("line 2: move 2: move '9' is not legal"),
            std::string::npos);
  EXPECT_NE(ErrorOf("moves 1 2 1 2 1 2 1 2").find("the game is over"), std::string::npos);
  EXPECT_EQ(ErrorOf("moves 4 4\nvalues -"), "line 2: 1 values for 2 moves");
  for (const char* bad : {"x", "2/100", "0.5/-1", "/", "0.5/9999999999", "nan/1"}) {
    EXPECT_NE(ErrorOf(std::string("moves 4\nvalues ") + bad).find("line 2: '"), std::string::npos)
        << bad;
  }
  EXPECT_NE(ErrorOf("moves 4\nresult 2-0").find("none of 1-0"), std::string::npos);
  EXPECT_EQ(ErrorOf("moves 4\nresult 1-0 boredom"), "line 2: no game ends by 'boredom'");
  EXPECT_NE(ErrorOf("moves 4\ncomment x").find("unknown word 'comment'"), std::string::npos);
  EXPECT_NE(ErrorOf("moves 4\nkomi 5").find("line 1"), std::string::npos);
}

}  // namespace
}  // namespace az
