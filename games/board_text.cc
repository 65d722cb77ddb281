#include "games/board_text.h"

#include "base/strings.h"

namespace az {

std::string CellText(BoardCell cell) {
  return StrCat(static_cast<char>('a' + cell.col), cell.row + 1);
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
