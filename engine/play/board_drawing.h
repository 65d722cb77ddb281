#pragma once
// Draws the board of any game for a person at a terminal: takes the picture that Position::ToString
// prints apart and draws it again with signs and colours.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "games/game_ops.h"

namespace az {

// A printed board. Rows stand as printed, the first one on top.
struct BoardPicture {
  struct Row {
    std::size_t indent = 0;  // blanks before the label, or before the cells
    std::string label;       // "5"; empty where rows have no label
    std::string cells;       // one kFirstStone, kSecondStone or kEmptyCell per cell
  };
  std::vector<Row> rows;
  std::vector<std::string> columns;  // "a", "b", ...
  std::size_t columns_indent = 0;
  bool columns_on_top = false;
  std::string status;  // "x to move"

  // The column and row labels of a cell, "c3", where rows have labels.
  std::string CellName(std::size_t row, std::size_t col) const;
};
BoardPicture ReadBoard(const Position& position);

struct DrawingStyle {
  bool unicode = false;  // discs instead of letters
  bool color = false;    // terminal colours
};
// The style that the environment allows: colours on a terminal unless NO_COLOR is set, discs where
// the locale has UTF-8. `is_terminal`: whether the output is a terminal.
DrawingStyle StyleOfEnvironment(bool is_terminal);

// Draws the board and marks the cells that have changed since `before`: by reversed video with
// colours, by brackets without. With `before` null nothing is marked.
std::string DrawBoard(const Position& now, const Position* before, const DrawingStyle& style);

// A player's sign in this style, for sentences.
std::string DrawStone(Player player, const DrawingStyle& style);

}  // namespace az
