#include "games/board_text.h"

#include <cstddef>

#include "base/strings.h"

namespace az {
namespace {

char ColumnLetter(int col, ColumnLetters letters) {
  const int skipped = letters == ColumnLetters::kSkipI && col >= 'i' - 'a' ? 1 : 0;
  return static_cast<char>('a' + col + skipped);
}

}  // namespace

std::string CellText(BoardCell cell) {
  return StrCat(ColumnLetter(cell.col, ColumnLetters::kAll), cell.row + 1);
}

std::string GtpCellText(BoardCell cell) {
  return StrCat(ColumnLetter(cell.col, ColumnLetters::kSkipI), cell.row + 1);
}

std::string BoardText(std::string_view cells, const BoardStyle& style) {
  const auto cols = static_cast<std::size_t>(style.cols);
  const std::size_t rows = cells.size() / cols;
  const std::size_t width = rows < 10 ? 1 : 2;
  std::string letters(width, ' ');
  for (int col = 0; col < style.cols; ++col) {
    letters += StrCat(' ', ColumnLetter(col, style.letters));
  }
  letters += '\n';
  const bool on_top = style.row_one == RowOne::kOnTop;
  std::string text = on_top ? letters : "";
  for (std::size_t line = 0; line < rows; ++line) {
    const std::size_t row = on_top ? line : rows - 1 - line;
    const std::string number = StrCat(row + 1);
    text += std::string(width - number.size(), ' ') + number;
    for (const char cell : cells.substr(row * cols, cols)) text += StrCat(' ', cell);
    text += '\n';
  }
  return on_top ? text : text + letters;
}

std::string StatusLine(Player to_move, GameStatus status) {
  const auto outcome = status.Result();
  if (!outcome.has_value()) {
    return StrCat(to_move == Player::kFirst ? kFirstStone : kSecondStone, " to move\n");
  }
  switch (*outcome) {
    case Outcome::kFirstWins:
      return StrCat(kFirstStone, " wins\n");
    case Outcome::kSecondWins:
      return StrCat(kSecondStone, " wins\n");
    case Outcome::kDraw:
      break;
  }
  return "draw\n";
}

}  // namespace az
