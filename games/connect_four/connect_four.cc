#include "games/connect_four/connect_four.h"

#include "base/strings.h"
#include "games/board_text.h"

namespace az {

std::string ConnectFour::MoveText(Action a) const { return StrCat(Index(a) + 1); }

std::string ConnectFour::ToString() const {
  const bool first_moves = to_move_ == Player::kFirst;
  const std::uint64_t first = first_moves ? own_ : opponent_;
  const std::uint64_t second = first_moves ? opponent_ : own_;
  std::string text;
  for (int row = kRows - 1; row >= 0; --row) {
    for (int col = 0; col < kCols; ++col) {
      const std::uint64_t bit = std::uint64_t{1} << (row * kCols + col);
      const char stone = (first & bit) != 0    ? kFirstStone
                         : (second & bit) != 0 ? kSecondStone
                                               : kEmptyCell;
      text += stone;
      text += col + 1 < kCols ? ' ' : '\n';
    }
  }
  return StrCat(text, "1 2 3 4 5 6 7\n", StatusLine(to_move_, status_));
}

}  // namespace az
