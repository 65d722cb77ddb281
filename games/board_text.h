#pragma once
// Text that the board games share: the name of a cell, the printed board, and the line that says
// whose turn it is. For cold paths only.

#include <cstdint>
#include <string>
#include <string_view>

#include "games/game.h"
#include "games/game_status.h"

namespace az {

inline constexpr char kFirstStone = 'x';
inline constexpr char kSecondStone = 'o';
inline constexpr char kEmptyCell = '.';

// A cell of the board; row and column count from 0.
struct BoardCell {
  int row = 0;
  int col = 0;
};

enum class ColumnLetters : std::uint8_t {
  kAll,    // a b c d e f g h i j
  kSkipI,  // a b c d e f g h j k, as in GTP
};

// Column letter (a, b, c, ... with i) and row number from 1: {.row = 2, .col = 0} is "a3".
std::string CellText(BoardCell cell);
// The same without the letter i: {.row = 0, .col = 8} is "j1".
std::string GtpCellText(BoardCell cell);

enum class RowOne : std::uint8_t { kOnTop, kAtTheBottom };

struct BoardStyle {
  int cols = 0;
  RowOne row_one = RowOne::kAtTheBottom;
  ColumnLetters letters = ColumnLetters::kAll;
};
// Prints `cells`, one letter per cell, row 0 (printed as 1) first, with coordinates.
std::string BoardText(std::string_view cells, const BoardStyle& style);

// "x to move", "o to move", "x wins", "o wins" or "draw", and a newline.
std::string StatusLine(Player to_move, GameStatus status);

}  // namespace az
