#pragma once
// Breakthrough on small boards by depth-first search with a table, seen by the side to move: its
// pieces go to higher rows.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "games/solvers/position_limit.h"
#include "games/solvers/solved_table.h"
#include "games/solvers/solver.h"

namespace az {

struct BreakthroughBoard {
  int rows = 5;
  int cols = 5;
  int piece_rows = 2;
};

// Thread-compatible.
class BreakthroughSolver final : public Solver {
 public:
  // REQUIRES: at most 25 cells, 3 rows or more, 2 columns or more, room for both sides' pieces.
  BreakthroughSolver(BreakthroughBoard board, const SolverOptions& options);

  Result<int> Solve(std::span<const Action> actions) override;
  std::uint64_t positions() const override { return limit_.count(); }

 private:
  using Cells = std::uint32_t;
  static constexpr std::size_t kMaxMoves = 3 * 25;
  struct Position {
    Cells own = 0;  // pieces of the side to move
    Cells opponent = 0;
  };
  struct Move {
    Cells from = 0;
    Cells to = 0;
    int promise = 0;
  };
  struct Moves {
    std::array<Move, kMaxMoves> list;
    std::size_t count = 0;
  };

  Cells Row(int row) const { return ((Cells{1} << cols_) - 1) << (row * cols_); }
  Cells TurnedRound(Cells set) const;  // rows in reverse order: the opponent's view
  Cells Mirrored(Cells set) const;     // columns in reverse order
  std::uint64_t KeyOf(const Position& position) const;
  bool IsLost(const Position& position) const;
  Position After(const Position& position, Cells from, Cells to) const;
  Moves OrderedMoves(const Position& position, Cells targets) const;
  bool Wins(const Position& position);
  Result<Position> Replay(std::span<const Action> actions) const;

  int rows_;
  int cols_;
  int piece_rows_;
  Cells full_;
  Cells not_first_;  // every column but the first
  Cells not_last_;
  PositionLimit limit_;
  SolvedTable table_;
};

}  // namespace az
