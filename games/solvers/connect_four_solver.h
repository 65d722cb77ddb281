#pragma once
// Connect Four by alpha-beta over bitboards: seven bits a column, the top one a guard that stays
// empty, so that lines never run from one column into the next.
//
//   6 13 20 27 34 41 48   guards
//   5 12 19 26 33 40 47
//   .  .  .  .  .  .  .
//   0  7 14 21 28 35 42

#include <cstdint>
#include <span>

#include "games/solvers/position_limit.h"
#include "games/solvers/solved_table.h"
#include "games/solvers/solver.h"

namespace az {

// Thread-compatible.
class ConnectFourSolver final : public Solver {
 public:
  explicit ConnectFourSolver(const SolverOptions& options);

  Result<int> Solve(std::span<const Action> actions) override;
  // Who wins, and how soon. +k: the side to move wins with k of its stones left, counting the
  // winning one (a win with the last stone but one is +1). -k: the opponent does. 0: drawn. Slower
  // than Solve; fails as it does.
  Result<int> Score(std::span<const Action> actions);
  std::uint64_t positions() const override { return limit_.count(); }

 private:
  struct Board {
    std::uint64_t own = 0;  // stones of the side to move
    std::uint64_t all = 0;
    int plies = 0;
    bool over = false;  // the side that has just moved has four
  };
  static Result<Board> Replay(std::span<const Action> actions);
  Result<int> ScoreWithin(std::span<const Action> actions, int alpha, int beta);
  int Search(const Board& board, int alpha, int beta);

  PositionLimit limit_;
  SolvedTable table_;
};

}  // namespace az
