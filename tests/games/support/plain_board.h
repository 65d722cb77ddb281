#pragma once
// Rules written a second time, slowly and another way: a character a cell, board coordinates only,
// everything searched from scratch. ExpectSameRules plays random games in lock-step with the
// engine's rules; mover, legal set and result are compared at every ply.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "games/game.h"
#include "tests/support/random_play.h"

namespace az::testing {

// x and o take turns; cells are named by the text a person writes.
class PlainBoard {
 public:
  PlainBoard(int rows, int cols)
      : rows_(rows), cols_(cols), cells_(static_cast<std::size_t>(rows * cols), '.') {}
  bool Inside(int row, int col) const { return row >= 0 && row < rows_ && col >= 0 && col < cols_; }
  char& At(int row, int col) { return cells_[static_cast<std::size_t>(row * cols_ + col)]; }
  bool Full() const { return cells_.find('.') == std::string::npos; }
  auto Count(char stone) const { return std::ranges::count(cells_, stone); }

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

inline Outcome WinOf(char stone) {
  return stone == 'x' ? Outcome::kFirstWins : Outcome::kSecondWins;
}

inline std::string CellName(int row, int col) {
  return static_cast<char>('a' + col) + std::to_string(row + 1);
}

template <GameState S, class Plain>
void ExpectSameRules(int games) {
  Rng rng(11);
  for (int game = 0; game < games; ++game) {
    Plain plain;
    char stone = 'x';
    PlayRandomGame<S>(rng, [&](const S& before, Action action, const S& after) {
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

}  // namespace az::testing
