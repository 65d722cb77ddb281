#include "games/solvers/connect_four_solver.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace az {
namespace {

using Stones = std::uint64_t;

constexpr int kCols = 7;
constexpr int kRows = 6;
constexpr int kCells = kCols * kRows;
constexpr int kHeight = kRows + 1;  // the guard included
constexpr Stones kColumn = (Stones{1} << kRows) - 1;

constexpr Stones Repeated(Stones column) {
  Stones all = 0;
  for (int col = 0; col < kCols; ++col) all |= column << (col * kHeight);
  return all;
}
constexpr Stones kBottom = Repeated(1);
constexpr Stones kBoard = Repeated(kColumn);
constexpr std::array<int, kCols> kFromTheCentre = {3, 2, 4, 1, 5, 0, 6};

Stones Landing(Stones all) { return (all + kBottom) & kBoard; }

// The empty cells that would complete a line of four in `stones`.
Stones WinningCells(Stones stones, Stones all) {
  Stones cells = stones << 1 & stones << 2 & stones << 3;  // on top of three
  for (const int step : {kHeight - 1, kHeight, kHeight + 1}) {
    const Stones two_below = stones << step & stones << (2 * step);
    const Stones two_above = stones >> step & stones >> (2 * step);
    cells |= two_below & (stones << (3 * step) | stones >> step);
    cells |= two_above & (stones >> (3 * step) | stones << step);
  }
  return cells & kBoard & ~all;
}

// The score of a win by the side to move with its next stone, when `plies` stones are on the board.
constexpr int WinAt(int plies) { return (kCells + 1 - plies) / 2; }

// Bounds in a byte: upper bounds 1-63, lower bounds 65-127.
constexpr int kZero = 32;
std::uint8_t UpperBound(int score) { return static_cast<std::uint8_t>(score + kZero); }
std::uint8_t LowerBound(int score) { return static_cast<std::uint8_t>(score + kZero + 64); }

struct Moves {
  std::array<Stones, kCols> cells;
  std::size_t count = 0;
};

// The moves, most winning cells first, then from the centre outward.
Moves Ordered(Stones landing, Stones own, Stones all) {
  Moves moves;
  std::array<int, kCols> threats;
  for (const int col : kFromTheCentre) {
    const Stones cell = landing & kColumn << (col * kHeight);
    if (cell == 0) continue;
    const int made = std::popcount(WinningCells(own | cell, all | cell));
    std::size_t place = moves.count++;
    for (; place > 0 && threats[place - 1] < made; --place) {
      threats[place] = threats[place - 1];
      moves.cells[place] = moves.cells[place - 1];
    }
    threats[place] = made;
    moves.cells[place] = cell;
  }
  return moves;
}

}  // namespace

ConnectFourSolver::ConnectFourSolver(const SolverOptions& options)
    : limit_(options), table_(options.table) {}

Result<ConnectFourSolver::Board> ConnectFourSolver::Replay(std::span<const Action> actions) {
  Board board;
  for (std::size_t ply = 0; ply < actions.size(); ++ply) {
    const int col = Index(actions[ply]);
    const Stones cell = col < kCols ? Landing(board.all) & kColumn << (col * kHeight) : 0;
    if (board.over || cell == 0) return solver_internal::IllegalAction(ply, actions[ply]);
    board = {.own = board.all ^ board.own,
             .all = board.all | cell,
             .plies = board.plies + 1,
             .over = (WinningCells(board.own, board.all) & cell) != 0};
  }
  return board;
}

Result<int> ConnectFourSolver::ScoreWithin(std::span<const Action> actions, int alpha, int beta) {
  AZ_ASSIGN_OR_RETURN(const Board board, Replay(actions));
  limit_.Restart();
  if (board.over) return -WinAt(board.plies - 1);
  if (board.plies == kCells) return 0;
  if ((WinningCells(board.own, board.all) & Landing(board.all)) != 0) return WinAt(board.plies);
  const int score = Search(board, alpha, beta);
  if (limit_.is_over()) return limit_.failure();
  return score;
}

Result<int> ConnectFourSolver::Solve(std::span<const Action> actions) {
  AZ_ASSIGN_OR_RETURN(const int score, ScoreWithin(actions, -1, 1));
  return std::clamp(score, -1, 1);
}

Result<int> ConnectFourSolver::Score(std::span<const Action> actions) {
  // Narrow windows, from "who wins" outward.
  int low = -WinAt(0);
  int high = WinAt(0);
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (middle <= 0 && low / 2 < middle) {
      middle = low / 2;
    } else if (middle >= 0 && high / 2 > middle) {
      middle = high / 2;
    }
    AZ_ASSIGN_OR_RETURN(const int score, ScoreWithin(actions, middle, middle + 1));
    if (score <= middle) {
      high = score;
    } else {
      low = score;
    }
  }
  return low;
}

// Fail-soft alpha-beta. REQUIRES: the side to move cannot win with its next stone.
int ConnectFourSolver::Search(const Board& board, int alpha, int beta) {
  if (!limit_.Count()) return 0;  // ScoreWithin reports it, nothing is stored
  const Stones threats = WinningCells(board.all ^ board.own, board.all);
  const int lost_at_once = -WinAt(board.plies + 1);
  Stones landing = Landing(board.all);
  if (const Stones forced = landing & threats; forced != 0) {
    if ((forced & (forced - 1)) != 0) return lost_at_once;
    landing = forced;
  }
  landing &= ~(threats >> 1);  // not below a cell that would win for the opponent
  if (landing == 0) return lost_at_once;
  if (board.plies >= kCells - 2) return 0;

  int worst = -WinAt(board.plies + 3);
  int best_left = WinAt(board.plies + 2);
  const std::uint64_t key = board.own + board.all;
  if (const int known = table_.Find(key); known > 64) {
    worst = std::max(worst, known - 64 - kZero);
  } else if (known > 0) {
    best_left = std::min(best_left, known - kZero);
  }
  alpha = std::max(alpha, worst);
  beta = std::min(beta, best_left);
  if (alpha >= beta) return alpha >= best_left ? best_left : worst;

  const Moves moves = Ordered(landing, board.own, board.all);
  int best = worst;
  for (std::size_t i = 0; i < moves.count; ++i) {
    const Board next{
        .own = board.all ^ board.own, .all = board.all | moves.cells[i], .plies = board.plies + 1};
    const int score = -Search(next, -beta, -std::max(alpha, best));
    if (limit_.is_over()) return 0;
    best = std::max(best, score);
    if (score >= beta) {
      table_.Store(key, LowerBound(score));
      return score;
    }
  }
  table_.Store(key, UpperBound(best));
  return best;
}

}  // namespace az
