#pragma once
// Hex up to 5x5 by depth-first search. A win is kept with its carrier: the empty cells that it
// needs, whatever happens elsewhere. Once a move is refuted, only moves into the refutation's
// carrier are worth trying (must-play; Hayward, Bjornsson, Johanson, Kan, Po, van Rijswijck 2005),
// and chains of bridges count as joined.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "games/solvers/position_limit.h"
#include "games/solvers/solver.h"

namespace az {

// Thread-compatible.
class HexSolver final : public Solver {
 public:
  // REQUIRES: 2 <= size <= 5.
  HexSolver(int size, const SolverOptions& options);

  Result<int> Solve(std::span<const Action> actions) override;
  std::uint64_t positions() const override { return limit_.count(); }

 private:
  static constexpr std::size_t kMaxCells = 25;
  using Cells = std::uint32_t;

  // Two cells that do not touch each other but share two neighbours: while these are empty, one
  // move cannot separate them.
  struct Bridge {
    int to = 0;
    Cells pair = 0;
  };
  struct Verdict {
    bool mover_wins = false;
    Cells carrier = 0;  // the winner's
  };
  // What bridges alone tell: the verdict when they decide; otherwise the moves that meet every
  // threat of the opponent, and the cells of these threats.
  struct Outlook {
    bool decided = false;
    Verdict verdict;
    Cells must_play = 0;
    Cells threats = 0;
  };
  struct Slot {
    std::uint64_t key = 0;  // the key + 1; 0 marks an empty slot
    Cells carrier = 0;
    bool mover_wins = false;
  };
  struct Board {
    std::array<Cells, 2> stones{};  // first: joins top and bottom; second: left and right
    int mover = 0;
  };

  void MakeTables();
  Cells ChainOf(Cells seed, Cells stones) const;
  bool IsBridged(int side, Cells stones, Cells empty, Cells& carrier) const;
  void AddWays(int side, const Board& board, std::array<int, kMaxCells>& ways) const;
  static Board After(Board board, Cells stone);
  Outlook Look(const Board& board);
  Verdict Search(const Board& board, const Outlook& outlook);
  Verdict SearchMoves(const Board& board, Cells must_play, Cells needed);
  Result<Board> Replay(std::span<const Action> actions) const;
  static std::uint64_t KeyOf(const Board& board) {
    return (std::uint64_t{board.stones[0]} << 25 | board.stones[1]) + 1;
  }
  Slot& SlotOf(std::uint64_t key) {
    return table_[(key * 0x9E3779B97F4A7C15U >> 24) & (table_.size() - 1)];
  }

  int size_;
  int cells_;
  Cells full_;
  PositionLimit limit_;
  std::array<Cells, kMaxCells> neighbours_{};
  // Indexed by side and end: the border's cells, and for a cell in the row next to the border the
  // two border cells that it touches, otherwise 0.
  std::array<std::array<Cells, 2>, 2> borders_{};
  std::array<std::array<std::array<Cells, kMaxCells>, 2>, 2> border_pairs_{};
  std::array<std::vector<Bridge>, kMaxCells> bridges_;
  std::vector<Slot> table_;
};

}  // namespace az
