#include "engine/play/board_drawing.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "engine/play/game_session.h"
#include "games/registry.h"

namespace az {
namespace {

GameSession Played(const std::string& entry, const std::vector<std::string>& moves) {
  GameSession session = GameSession::Create(**FindGame(entry)).value();
  for (const std::string& move : moves) session.Play(session.Find(move).value()).value();
  return session;
}

TEST(BoardDrawing, IsThePictureThatTheGamePrints) {
  for (const std::string& entry : GameEntries()) {
    GameSession session = Played(entry, {});
    for (int ply = 0; ply < 5; ++ply) {
      const Position& position = session.position();
      const BoardPicture picture = ReadBoard(position);
      ASSERT_EQ(picture.rows.size(), static_cast<std::size_t>(session.game().info().shape.rows))
          << entry;
      ASSERT_EQ(picture.columns.size(), static_cast<std::size_t>(session.game().info().shape.cols));
      for (const auto& row : picture.rows) ASSERT_EQ(row.cells.size(), picture.columns.size());
      EXPECT_EQ(DrawBoard(position, nullptr, {}) + picture.status + "\n", position.ToString());
      session.Play(position.LegalActions().front()).value();
    }
  }
}

TEST(BoardDrawing, NamesCellsAsMovesAreNamed) {
  const GameSession session = Played("hex4", {"b3"});
  const BoardPicture picture = ReadBoard(session.position());
  EXPECT_EQ(picture.rows[2].cells, ".x..");
  EXPECT_EQ(picture.CellName(2, 1), "b3");
  const GameSession go = Played("go9", {"j2"});
  EXPECT_EQ(ReadBoard(go.position()).CellName(7, 8), "j2");
}

TEST(BoardDrawing, MarksWhatTheLastMoveChanged) {
  const GameSession before = Played("tic_tac_toe", {"a1"});
  const GameSession now = Played("tic_tac_toe", {"a1", "b1"});
  EXPECT_EQ(DrawBoard(now.position(), &before.position(), {}),
            "3 . . .\n2 . . .\n1 x[o].\n  a b c\n");
  EXPECT_EQ(DrawBoard(now.position(), &before.position(), {.unicode = true}),
            "3 · · ·\n2 · · ·\n1 ●[○]·\n  a b c\n");
  const std::string colored = DrawBoard(now.position(), &before.position(), {.color = true});
  EXPECT_NE(colored.find("\033[34m\033[7mo\033[0m"), std::string::npos) << colored;
  EXPECT_EQ(colored.find('['), colored.find("\033[") + 1) << "no brackets beside colours";
}

TEST(BoardDrawing, ObeysTheEnvironment) {
  for (const char* name : {"NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"}) unsetenv(name);
  setenv("TERM", "xterm", 1);
  setenv("LANG", "de_DE.UTF-8", 1);
  EXPECT_TRUE(StyleOfEnvironment(true).color);
  EXPECT_TRUE(StyleOfEnvironment(true).unicode);
  EXPECT_FALSE(StyleOfEnvironment(false).color);
  setenv("LC_ALL", "C", 1);
  EXPECT_FALSE(StyleOfEnvironment(true).unicode);
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(StyleOfEnvironment(true).color);
}

}  // namespace
}  // namespace az
