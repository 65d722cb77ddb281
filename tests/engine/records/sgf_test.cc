#include "engine/records/sgf.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "games/registry.h"

namespace az {
namespace {

const GameOps& Ops(std::string_view entry) { return **FindGame(entry); }

NotedGame Played(std::string_view entry, std::vector<std::string> moves) {
  const GameOps& ops = Ops(entry);
  NotedGame game{.entry = std::string(entry)};
  const std::unique_ptr<Position> position = ops.Start();
  for (const std::string& text : moves) {
    const Action action = *position->ParseMove(text);
    game.moves.push_back({.action = action, .visits = 0, .value = 0});
    EXPECT_TRUE(position->Apply(action).has_value());
  }
  return game;
}

NotedGame MustReadOne(std::string_view text, std::string_view entry) {
  Result<SgfGames> read = ReadSgf(text, Ops(entry));
  EXPECT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->games.size(), 1U);
  return read->games.front();
}

std::string ErrorOf(std::string_view text, std::string_view entry) {
  const Result<SgfGames> read = ReadSgf(text, Ops(entry));
  return read ? "" : read.error().message;
}

TEST(Sgf, WritesGoAsOtherProgramsDo) {
  NotedGame game = Played("go5", {"c3", "a5", "e1", "pass"});
  game.name = "match/0/7";
  game.players = {"me [2]", "you"};
  game.outcome = Outcome::kFirstWins;
  game.reason = EndReason::kResigned;
  game.moves[1].visits = 200;
  game.moves[1].value = -0.25f;
  const Result<std::string> text = WriteSgf(game, Ops("go5"));
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(*text,
            "(;FF[4]GM[1]SZ[5]CA[UTF-8]AP[az]GN[match/0/7]PB[me [2\\]]PW[you]KM[0.5]RE[B+R]"
            "GC[ended by resigned]\n;B[cc]\n;W[aa]C[value -0.2500, 200 visits]\n;B[ee]\n;W[])\n");
  EXPECT_EQ(MustReadOne(*text, "go5"), game);
}

TEST(Sgf, KnowsTheOrientationOfEachGame) {
  // Row 1 at the bottom in go and gomoku, on top in othello and hex.
  EXPECT_NE(WriteSgf(Played("go9", {"j1"}), Ops("go9"))->find(";B[ii]"), std::string::npos);
  EXPECT_NE(WriteSgf(Played("gomoku15", {"a15"}), Ops("gomoku15"))->find(";B[aa]"),
            std::string::npos);
  EXPECT_NE(WriteSgf(Played("othello8", {"d3"}), Ops("othello8"))->find(";B[dc]"),
            std::string::npos);
  EXPECT_NE(WriteSgf(Played("hex11", {"a2", "b11"}), Ops("hex11"))->find(";B[a2]\n;W[b11]"),
            std::string::npos);
  EXPECT_NE(WriteSgf(Played("hex5_swap", {"a2", "swap"}), Ops("hex5_swap"))
                ->find(";B[a2]\n;W[swap-pieces]"),
            std::string::npos);
}

// As Sabaki, HexGui and others write: unknown properties, tt for a pass, capitals, variations.
TEST(Sgf, ReadsWhatOthersWrite) {
  const NotedGame go = MustReadOne(
      "(;GM[1]FF[4]CA[UTF-8]AP[Sabaki:0.52]KM[6.5]SZ[9]DT[2024-01-01]RE[W+Resign]\n"
      "PB[Ann]PW[Bob];B[ee]BL[12.5]C[a good move](;W[cc];B[tt])(;W[gg]))",
      "go9");
  EXPECT_EQ(go.moves.size(), 3U);
  EXPECT_EQ(go.komi, 6.5);
  EXPECT_EQ(go.outcome, Outcome::kSecondWins);
  EXPECT_EQ(go.reason, EndReason::kResigned);
  EXPECT_EQ(go.players[1], "Bob");
  EXPECT_EQ(go.moves[0].visits, 0U);
  const NotedGame hex = MustReadOne("(;FF[4]GM[11]SZ[5];B[C3];W[A1];B[resign])", "hex5");
  EXPECT_EQ(hex.moves.size(), 2U);
  EXPECT_EQ(hex.outcome, Outcome::kSecondWins);
}

TEST(Sgf, TakesCommentsThatAreNoNotesForComments) {
  for (const char* comment : {"value , visits", "value 0.5, visits", "value, 1 visits",
                              "value 2.0, 9 visits", "value 0.5, -9 visits", "value  visits"}) {
    const NotedGame game = MustReadOne(StrCat("(;SZ[5];B[cc]C[", comment, "])"), "go5");
    EXPECT_EQ(game.moves[0].visits, 0U) << comment;
  }
}

TEST(Sgf, TakesTheResultOfTheBoardWhereNoneIsWritten) {
  const NotedGame game = MustReadOne("(;GM[11]SZ[3];B[a1];W[b1];B[a2];W[b2];B[a3])", "hex3");
  EXPECT_EQ(game.outcome, Outcome::kFirstWins);
  EXPECT_EQ(game.reason, EndReason::kRules);
}

TEST(Sgf, RefusesWithTheLine) {
  EXPECT_EQ(ErrorOf("(;GM[1]\nSZ[19])", "go9"),
            "sgf line 2: the board is SZ[19], but go9 is SZ[9]");
  EXPECT_EQ(ErrorOf("\n(;GM[11]SZ[5])", "go5"), "sgf line 2: the game is GM[11], but go5 is GM[1]");
  EXPECT_EQ(ErrorOf("(;GM[1])", "go5"), "sgf line 1: the board is SZ[(none)], but go5 is SZ[5]");
  EXPECT_EQ(ErrorOf("(;SZ[5]\n;B[cc]\n;B[dd])", "go5"),
            "sgf line 3: move 2, B[dd], is out of turn");
  EXPECT_EQ(ErrorOf("(;SZ[5]\n;B[cz])", "go5"),
            "sgf line 2: move 1: 'cz' is no point of this board");
  EXPECT_NE(ErrorOf("(;SZ[5];B[cc];W[cc])", "go5").find("move 2: move 'c3' is not legal"),
            std::string::npos);
  EXPECT_EQ(ErrorOf("(;SZ[5];B[];W[]\n;B[cc])", "go5"),
            "sgf line 2: a move after the end of the game");
  EXPECT_NE(ErrorOf("(;SZ[5]AB[cc][dd])", "go5").find("AB"), std::string::npos);
  EXPECT_NE(ErrorOf("(;SZ[5]KM[many])", "go5").find("komi 'many'"), std::string::npos);
  EXPECT_NE(ErrorOf("(;SZ[5]KM[1000])", "go5").find("sgf line 1"), std::string::npos);
  EXPECT_NE(ErrorOf("(;)", "connect_four").find("move lists"), std::string::npos);
}

TEST(Sgf, RefusesToWriteWhatIsNotLegal) {
  NotedGame game = Played("go5", {"c3"});
  game.moves.push_back(game.moves[0]);
  const Result<std::string> text = WriteSgf(game, Ops("go5"));
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().code, Errc::kCorrupt);
}

}  // namespace
}  // namespace az
