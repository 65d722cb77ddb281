#pragma once
// The board of any game as a person at a terminal sees it: the picture that Position::ToString
// prints, taken apart and drawn again with signs and colours.

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
    std::string label;       // "5"; empty where rows bear none
    std::string cells;       // kFirstStone, kSecondStone or kEmptyCell each
  };
  std::vector<Row> rows;
  std::vector<std::string> columns;  // "a", "b", ...
  std::size_t columns_indent = 0;
  bool columns_on_top = false;
  std::string status;  // "x to move"

  // "c3": column and label of a cell, where rows bear labels.
  std::string CellName(std::size_t row, std::size_t col) const;
};
BoardPicture ReadBoard(const Position& position);

struct DrawingStyle {
  bool unicode = false;  // discs instead of letters
  bool color = false;    // terminal colours
};
// What the environment allows: colours on a terminal unless NO_COLOR is set, discs where the locale
// has UTF-8. `is_terminal`: of the output.
DrawingStyle StyleOfEnvironment(bool is_terminal);

// Marks the cells that a move has changed since `before`: with colour by reversed video, without by
// brackets. `before` null: nothing is marked.
std::string DrawBoard(const Position& now, const Position* before, const DrawingStyle& style);

// A player's sign as the style draws it, for sentences.
std::string DrawStone(Player player, const DrawingStyle& style);

}  // namespace az
