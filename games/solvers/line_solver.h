#pragma once
// m,n,k on small boards (tic-tac-toe is 3,3,3) by alpha-beta over a list of lines: any line of k
// wins, a full board without one is a draw.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "games/solvers/position_limit.h"
#include "games/solvers/solved_table.h"
#include "games/solvers/solver.h"

namespace az {

struct LineGame {
  int cols = 3;
  int rows = 3;
  int length = 3;
};

// Thread-compatible.
class LineSolver final : public Solver {
 public:
  // REQUIRES: at most 25 cells.
  LineSolver(LineGame game, const SolverOptions& options);

  Result<int> Solve(std::span<const Action> actions) override;
  std::uint64_t positions() const override { return limit_.count(); }

 private:
  using Cells = std::uint32_t;
  struct Board {
    Cells own = 0;  // stones of the side to move
    Cells opponent = 0;
  };
  // What the lines tell about a position.
  struct Outlook {
    Cells own_wins = 0;       // cells that complete a line of the side to move
    Cells opponent_wins = 0;  // cells that complete one of the opponent's
    bool own_may = false;     // a line without stones of the other side is left
    bool opponent_may = false;
  };

  bool HasLine(Cells stones) const;
  Outlook Look(const Board& board) const;
  int Search(const Board& board, int alpha, int beta);
  int SearchMoves(const Board& board, Cells moves, int alpha, int beta);

  int cells_;
  Cells full_;
  PositionLimit limit_;
  std::vector<Cells> lines_;
  std::vector<Cells> best_first_;  // single cells, those on most lines first
  SolvedTable table_;
};

}  // namespace az
