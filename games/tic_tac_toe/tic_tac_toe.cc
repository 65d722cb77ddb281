#include "games/tic_tac_toe/tic_tac_toe.h"

#include <utility>

#include "base/hash.h"
#include "base/strings.h"
#include "games/board_text.h"

namespace az {
namespace {

constexpr int kSide = 3;

}  // namespace

std::uint64_t TicTacToe::Hash() const {
  // The planes are enough: the numbers of stones say who is to move, their places whether the game
  // is over.
  return Mix64(0x7469635F7461635FU ^ (std::uint64_t{own_} << 16 | opponent_));
}

int TicTacToe::MapCell(int cell, int symmetry) {
  int row = cell / kSide;
  int col = cell % kSide;
  if ((symmetry & 4) != 0) std::swap(row, col);
  for (int turn = 0; turn < (symmetry & 3); ++turn) {
    const int old_row = row;
    row = col;
    col = kSide - 1 - old_row;
  }
  return row * kSide + col;
}

Action TicTacToe::MapAction(Action a, int symmetry) {
  return static_cast<Action>(MapCell(Index(a), symmetry));
}

std::string TicTacToe::MoveText(Action a) const {
  return CellText({.row = Index(a) / kSide, .col = Index(a) % kSide});
}

std::string TicTacToe::ToString() const {
  const bool first_moves = to_move_ == Player::kFirst;
  const unsigned first = first_moves ? own_ : opponent_;
  const unsigned second = first_moves ? opponent_ : own_;
  std::string text;
  for (int row = kSide - 1; row >= 0; --row) {
    text += StrCat(row + 1);
    for (int col = 0; col < kSide; ++col) {
      const unsigned bit = 1u << (row * kSide + col);
      const char stone = (first & bit) != 0    ? kFirstStone
                         : (second & bit) != 0 ? kSecondStone
                                               : kEmptyCell;
      text += StrCat(' ', stone);
    }
    text += '\n';
  }
  return StrCat(text, "  a b c\n", StatusLine(to_move_, status_));
}

}  // namespace az
