#include "engine/records/sgf_dialect.h"

#include <gtest/gtest.h>

#include "games/registry.h"

namespace az {
namespace {

SgfDialect DialectOf(std::string_view entry) { return *SgfDialectOf((**FindGame(entry)).info()); }

// Every point of every board goes to SGF and back.
TEST(SgfDialect, PointsComeBack) {
  for (const std::string& entry : GameEntries()) {
    const GameInfo& info = (**FindGame(entry)).info();
    const std::optional<SgfDialect> dialect = SgfDialectOf(info);
    if (!dialect) continue;
    for (int row = 0; row < info.board_size; ++row) {
      for (int col = 0; col < info.board_size; ++col) {
        const BoardCell cell{.row = row, .col = col};
        const std::string move =
            dialect->letters == ColumnLetters::kAll ? CellText(cell) : GtpCellText(cell);
        EXPECT_EQ(dialect->FromSgf(dialect->ToSgf(move)), move) << entry;
      }
    }
  }
}

TEST(SgfDialect, KnowsPassesAndSwaps) {
  EXPECT_EQ(DialectOf("go9").ToSgf("pass"), "");
  EXPECT_EQ(DialectOf("go9").FromSgf("tt"), "pass");
  EXPECT_EQ(DialectOf("othello8").FromSgf(""), "pass");
  EXPECT_EQ(DialectOf("gomoku9").FromSgf(""), std::nullopt);
  EXPECT_EQ(DialectOf("hex5_swap").ToSgf("swap"), "swap-pieces");
  EXPECT_EQ(DialectOf("hex5_swap").FromSgf("Swap-Pieces"), "swap");
}

TEST(SgfDialect, RefusesWhatIsNoPoint) {
  for (const char* bad : {"a", "aaa", "aj", "ja", "A1", "[]", "zz"}) {
    EXPECT_EQ(DialectOf("go9").FromSgf(bad), std::nullopt) << bad;
  }
}

TEST(SgfDialect, IsForGamesThatSgfHasANumberFor) {
  EXPECT_EQ(DialectOf("hex11").game_number, 11);
  EXPECT_FALSE(SgfDialectOf((**FindGame("connect_four")).info()).has_value());
  EXPECT_FALSE(SgfDialectOf((**FindGame("tic_tac_toe")).info()).has_value());
}

}  // namespace
}  // namespace az
