#pragma once
// Text that the board games share: the name of a cell and the line that says whose turn it is. Cold
// paths only.

#include <string>

#include "games/game.h"
#include "games/game_status.h"

namespace az {

inline constexpr char kFirstStone = 'x';
inline constexpr char kSecondStone = 'o';
inline constexpr char kEmptyCell = '.';

// A cell of the board; both count from 0.
struct BoardCell {
  int row = 0;
  int col = 0;
};

// Column letter (a, b, c, ... with i) and row number from 1: {.row = 2, .col = 0} is "a3".
std::string CellText(BoardCell cell);
// "x to move", "x wins", "o wins" or "draw", with a line end.
std::string StatusLine(Player to_move, GameStatus status);

}  // namespace az
