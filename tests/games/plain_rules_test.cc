// The bitboard rules against plain ones written another way: a character a cell, board coordinates
// only, wins searched from scratch. Random games in lock-step; mover, legal set and result are
// compared at every ply.

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "games/registry.h"
#include "tests/support/random_play.h"

namespace az {
namespace {

// x and o take turns; cells are named by the text a person writes.
class PlainBoard {
 public:
  PlainBoard(int rows, int cols)
      : rows_(rows), cols_(cols), cells_(static_cast<std::size_t>(rows * cols), '.') {}
  bool Inside(int row, int col) const { return row >= 0 && row < rows_ && col >= 0 && col < cols_; }
  char& At(int row, int col) { return cells_[static_cast<std::size_t>(row * cols_ + col)]; }
  bool Full() const { return cells_.find('.') == std::string::npos; }

  // Whether `stone` has `length` in a row anywhere.
  bool HasLine(char stone, int length) {
    for (int row = 0; row < rows_; ++row) {
      for (int col = 0; col < cols_; ++col) {
        for (const auto& [down, right] : {std::pair(0, 1), {1, 0}, {1, 1}, {1, -1}}) {
          int run = 0;
          while (run < length && Inside(row + run * down, col + run * right) &&
                 At(row + run * down, col + run * right) == stone) {
            ++run;
          }
          if (run == length) return true;
        }
      }
    }
    return false;
  }

  // Hex: whether x joins top and bottom, or o left and right.
  bool Joins(char stone) {
    std::set<std::pair<int, int>> reached;
    for (int i = 0; i < rows_; ++i) {
      const auto start = stone == 'x' ? std::pair(0, i) : std::pair(i, 0);
      if (At(start.first, start.second) == stone && Walk(stone, start, reached)) return true;
    }
    return false;
  }

 private:
  bool Walk(char stone, std::pair<int, int> cell, std::set<std::pair<int, int>>& reached) {
    const auto [row, col] = cell;
    if (!reached.insert(cell).second) return false;
    if ((stone == 'x' ? row : col) == rows_ - 1) return true;
    for (const auto& [down, right] :
         {std::pair(0, 1), {0, -1}, {1, 0}, {-1, 0}, {-1, 1}, {1, -1}}) {
      if (!Inside(row + down, col + right) || At(row + down, col + right) != stone) continue;
      if (Walk(stone, {row + down, col + right}, reached)) return true;
    }
    return false;
  }

  int rows_;
  int cols_;
  std::string cells_;
};

// What a game's rules say after a ply.
struct Verdict {
  std::set<std::string> legal;
  std::optional<Outcome> result;
};

Outcome WinOf(char stone) { return stone == 'x' ? Outcome::kFirstWins : Outcome::kSecondWins; }

std::string CellName(int row, int col) {
  return static_cast<char>('a' + col) + std::to_string(row + 1);
}

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

template <GameState S, class Plain>
void ExpectSameRules(int games) {
  Rng rng(11);
  for (int game = 0; game < games; ++game) {
    Plain plain;
    char stone = 'x';
    testing::PlayRandomGame<S>(rng, [&](const S& before, Action action, const S& after) {
      ASSERT_EQ(before.ToMove(), stone == 'x' ? Player::kFirst : Player::kSecond);
      const Verdict verdict = plain.Play(before.MoveText(action), stone);
      std::set<std::string> legal;
      after.LegalActions().ForEach([&](Action a) { legal.insert(after.MoveText(a)); });
      ASSERT_EQ(after.Result(), verdict.result) << after.ToString();
      ASSERT_EQ(legal, verdict.legal) << after.ToString();
      stone = stone == 'x' ? 'o' : 'x';
    });
  }
}

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

}  // namespace
}  // namespace az
