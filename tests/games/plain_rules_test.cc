// Games in which stones only come on: against plain rules.

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

#include "games/registry.h"
#include "tests/games/support/plain_board.h"

namespace az {
namespace {

using testing::CellName;
using testing::ExpectSameRules;
using testing::PlainBoard;
using testing::Verdict;
using testing::WinOf;

std::set<std::string> EmptyCells(PlainBoard& board, int rows, int cols) {
  std::set<std::string> empty;
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      if (board.At(row, col) == '.') empty.insert(CellName(row, col));
    }
  }
  return empty;
}

void PlaceCell(PlainBoard& board, const std::string& move, char stone) {
  board.At(std::stoi(move.substr(1)) - 1, move[0] - 'a') = stone;
}

struct PlainTicTacToe {
  PlainBoard board{3, 3};
  Verdict Play(const std::string& move, char stone) {
    PlaceCell(board, move, stone);
    if (board.HasLine(stone, 3)) return {{}, WinOf(stone)};
    if (board.Full()) return {{}, Outcome::kDraw};
    return {EmptyCells(board, 3, 3), std::nullopt};
  }
};

struct PlainConnectFour {
  PlainBoard board{6, 7};
  Verdict Play(const std::string& move, char stone) {
    const int col = std::stoi(move) - 1;
    int row = 0;
    while (board.At(row, col) != '.') ++row;
    board.At(row, col) = stone;
    if (board.HasLine(stone, 4)) return {{}, WinOf(stone)};
    if (board.Full()) return {{}, Outcome::kDraw};
    std::set<std::string> open;
    for (int c = 0; c < 7; ++c) {
      if (board.At(5, c) == '.') open.insert(std::to_string(c + 1));
    }
    return {open, std::nullopt};
  }
};

template <int N>
struct PlainHex {
  PlainBoard board{N, N};
  Verdict Play(const std::string& move, char stone) {
    PlaceCell(board, move, stone);
    if (board.Joins(stone)) return {{}, WinOf(stone)};
    return {EmptyCells(board, N, N), std::nullopt};
  }
};

// Columns are named without the letter i.
template <int M, int N, int K>
struct PlainMnk {
  PlainBoard board{N, M};
  static constexpr std::string_view kLetters = "abcdefghjklmnopqrst";
  Verdict Play(const std::string& move, char stone) {
    const auto col = static_cast<int>(kLetters.find(move[0]));
    board.At(std::stoi(move.substr(1)) - 1, col) = stone;
    if (board.HasLine(stone, K)) return {{}, WinOf(stone)};
    if (board.Full()) return {{}, Outcome::kDraw};
    Verdict verdict;
    for (int row = 0; row < N; ++row) {
      for (int c = 0; c < M; ++c) {
        if (board.At(row, c) != '.') continue;
        verdict.legal.insert(kLetters[static_cast<std::size_t>(c)] + std::to_string(row + 1));
      }
    }
    return verdict;
  }
};

template <int N>
struct PlainHexWithSwap {
  PlainHex<N> hex;
  int plies = 0;
  std::string first_move;
  Verdict Play(const std::string& move, char stone) {
    Verdict verdict;
    if (move == "swap") {
      const int row = std::stoi(first_move.substr(1)) - 1;
      const int col = first_move[0] - 'a';
      hex.board.At(row, col) = '.';
      hex.board.At(col, row) = 'o';
      verdict.legal = EmptyCells(hex.board, N, N);
    } else {
      verdict = hex.Play(move, stone);
    }
    if (++plies == 1) {
      first_move = move;
      verdict.legal.insert("swap");
    }
    return verdict;
  }
};

TEST(PlainRules, TicTacToe) { ExpectSameRules<TicTacToe, PlainTicTacToe>(5000); }
TEST(PlainRules, ConnectFour) { ExpectSameRules<ConnectFour, PlainConnectFour>(2000); }
TEST(PlainRules, Hex3) { ExpectSameRules<Hex<3>, PlainHex<3>>(2000); }
TEST(PlainRules, Hex4) { ExpectSameRules<Hex<4>, PlainHex<4>>(1000); }
TEST(PlainRules, Hex5) { ExpectSameRules<Hex<5>, PlainHex<5>>(500); }
TEST(PlainRules, Hex6) { ExpectSameRules<Hex<6>, PlainHex<6>>(200); }
TEST(PlainRules, Hex7) { ExpectSameRules<Hex<7>, PlainHex<7>>(100); }
TEST(PlainRules, Hex8) { ExpectSameRules<Hex<8>, PlainHex<8>>(100); }
TEST(PlainRules, Hex9) { ExpectSameRules<Hex<9>, PlainHex<9>>(50); }
TEST(PlainRules, Hex10) { ExpectSameRules<Hex<10>, PlainHex<10>>(50); }
TEST(PlainRules, Hex11) { ExpectSameRules<Hex<11>, PlainHex<11>>(50); }

TEST(PlainRules, Hex3WithSwap) {
  ExpectSameRules<Hex<3, HexSwap::kYes>, PlainHexWithSwap<3>>(2000);
}
TEST(PlainRules, Hex5WithSwap) {
  ExpectSameRules<Hex<5, HexSwap::kYes>, PlainHexWithSwap<5>>(1000);
}
TEST(PlainRules, Hex11WithSwap) {
  ExpectSameRules<Hex<11, HexSwap::kYes>, PlainHexWithSwap<11>>(50);
}
TEST(PlainRules, Mnk533) { ExpectSameRules<Mnk<5, 3, 3>, PlainMnk<5, 3, 3>>(5000); }
TEST(PlainRules, Mnk554) { ExpectSameRules<Mnk<5, 5, 4>, PlainMnk<5, 5, 4>>(2000); }
TEST(PlainRules, Gomoku9) { ExpectSameRules<Mnk<9, 9, 5>, PlainMnk<9, 9, 5>>(200); }
TEST(PlainRules, Gomoku15) { ExpectSameRules<Mnk<15, 15, 5>, PlainMnk<15, 15, 5>>(50); }

}  // namespace
}  // namespace az
