// Games in which stones turn over, move and are taken: against plain rules.

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "games/registry.h"
#include "tests/games/support/plain_board.h"

namespace az {
namespace {

using testing::CellName;
using testing::ExpectSameRules;
using testing::PlainBoard;
using testing::Verdict;
using testing::WinOf;

char Other(char stone) { return stone == 'x' ? 'o' : 'x'; }

template <int N>
struct PlainOthello {
  PlainBoard board{N, N};

  PlainOthello() {
    board.At(N / 2, N / 2 - 1) = board.At(N / 2 - 1, N / 2) = 'x';
    board.At(N / 2, N / 2) = board.At(N / 2 - 1, N / 2 - 1) = 'o';
  }
  // The cells that a disc there would turn over.
  std::vector<std::pair<int, int>> Turned(int row, int col, char stone) {
    std::vector<std::pair<int, int>> turned;
    for (int down = -1; down <= 1; ++down) {
      for (int right = -1; right <= 1; ++right) {
        std::vector<std::pair<int, int>> line;
        int r = row + down;
        int c = col + right;
        for (; board.Inside(r, c) && board.At(r, c) == Other(stone); r += down, c += right) {
          line.emplace_back(r, c);
        }
        if (!board.Inside(r, c) || board.At(r, c) != stone) continue;
        turned.insert(turned.end(), line.begin(), line.end());
      }
    }
    return turned;
  }
  std::set<std::string> Placements(char stone) {
    std::set<std::string> moves;
    for (int row = 0; row < N; ++row) {
      for (int col = 0; col < N; ++col) {
        if (board.At(row, col) != '.' || Turned(row, col, stone).empty()) continue;
        moves.insert(CellName(row, col));
      }
    }
    return moves;
  }
  Verdict Play(const std::string& move, char stone) {
    if (move != "pass") {
      const int row = std::stoi(move.substr(1)) - 1;
      const int col = move[0] - 'a';
      for (const auto& [r, c] : Turned(row, col, stone)) board.At(r, c) = stone;
      board.At(row, col) = stone;
    }
    const std::set<std::string> legal = Placements(Other(stone));
    if (!legal.empty()) return {legal, std::nullopt};
    if (!Placements(stone).empty()) return {{"pass"}, std::nullopt};
    const auto lead = board.Count('x') - board.Count('o');
    return {{}, lead > 0 ? Outcome::kFirstWins : lead < 0 ? Outcome::kSecondWins : Outcome::kDraw};
  }
};

template <int Rows, int Cols, int PieceRows>
struct PlainBreakthrough {
  PlainBoard board{Rows, Cols};

  PlainBreakthrough() {
    for (int col = 0; col < Cols; ++col) {
      for (int row = 0; row < PieceRows; ++row) {
        board.At(row, col) = 'x';
        board.At(Rows - 1 - row, col) = 'o';
      }
    }
  }
  static std::string Name(int row, int col) { return CellName(Rows - 1 - row, col); }
  static int RowOf(char rank) { return Rows - (rank - '0'); }

  Verdict Play(const std::string& move, char stone) {
    const int to_row = RowOf(move[3]);
    board.At(RowOf(move[1]), move[0] - 'a') = '.';
    board.At(to_row, move[2] - 'a') = stone;
    if (to_row == (stone == 'x' ? Rows - 1 : 0)) return {{}, WinOf(stone)};
    const char next = Other(stone);
    if (board.Count(next) == 0) return {{}, WinOf(stone)};
    Verdict verdict;
    const int down = next == 'x' ? 1 : -1;
    for (int row = 0; row < Rows; ++row) {
      for (int col = 0; col < Cols; ++col) {
        if (board.At(row, col) != next) continue;
        for (int right = -1; right <= 1; ++right) {
          if (!board.Inside(row + down, col + right)) continue;
          const char there = board.At(row + down, col + right);
          if (there == '.' || (right != 0 && there == stone)) {
            verdict.legal.insert(Name(row, col) + Name(row + down, col + right));
          }
        }
      }
    }
    return verdict;
  }
};

TEST(PlainRules, Othello4) { ExpectSameRules<Othello<4>, PlainOthello<4>>(3000); }
TEST(PlainRules, Othello6) { ExpectSameRules<Othello<6>, PlainOthello<6>>(500); }
TEST(PlainRules, Othello8) { ExpectSameRules<Othello<8>, PlainOthello<8>>(200); }
TEST(PlainRules, Breakthrough551) {
  ExpectSameRules<Breakthrough<5, 5, 1>, PlainBreakthrough<5, 5, 1>>(2000);
}
TEST(PlainRules, Breakthrough642) {  // not square
  ExpectSameRules<Breakthrough<6, 4, 2>, PlainBreakthrough<6, 4, 2>>(1000);
}
TEST(PlainRules, Breakthrough5) {
  ExpectSameRules<Breakthrough<5, 5>, PlainBreakthrough<5, 5, 2>>(1000);
}
TEST(PlainRules, Breakthrough6) {
  ExpectSameRules<Breakthrough<6, 6>, PlainBreakthrough<6, 6, 2>>(500);
}
TEST(PlainRules, Breakthrough8) {
  ExpectSameRules<Breakthrough<8, 8>, PlainBreakthrough<8, 8, 2>>(200);
}

}  // namespace
}  // namespace az
