#include "games/solvers/line_solver.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace az {
namespace {

// Bounds in a byte: bit 7 set, the lower bound + 1 in bits 0-1, the upper bound + 1 in bits 2-3.
struct Bounds {
  int low = -1;
  int high = 1;
};
std::uint8_t Pack(Bounds b) {
  return static_cast<std::uint8_t>(128 | (b.high + 1) << 2 | (b.low + 1));
}
Bounds Unpack(std::uint8_t byte) {
  if (byte == 0) return {};
  return {.low = (byte & 3) - 1, .high = (byte >> 2 & 3) - 1};
}

}  // namespace

LineSolver::LineSolver(LineGame game, const SolverOptions& options)
    : cells_(game.cols * game.rows),
      full_((Cells{1} << cells_) - 1),
      limit_(options),
      table_(options.table) {
  AZ_CHECK(cells_ <= 25) << cells_;
  constexpr std::pair<int, int> kSteps[] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
  for (int row = 0; row < game.rows; ++row) {
    for (int col = 0; col < game.cols; ++col) {
      for (const auto& [down, right] : kSteps) {
        const int last_row = row + down * (game.length - 1);
        const int last_col = col + right * (game.length - 1);
        if (last_row >= game.rows || last_col < 0 || last_col >= game.cols) continue;
        Cells line = 0;
        for (int i = 0; i < game.length; ++i) {
          line |= Cells{1} << ((row + down * i) * game.cols + col + right * i);
        }
        lines_.push_back(line);
      }
    }
  }
  for (int cell = 0; cell < cells_; ++cell) best_first_.push_back(Cells{1} << cell);
  const auto lines_on = [&](Cells cell) {
    return std::ranges::count_if(lines_, [&](Cells line) { return (line & cell) != 0; });
  };
  std::ranges::stable_sort(best_first_, std::ranges::greater{}, lines_on);
}

bool LineSolver::HasLine(Cells stones) const {
  return std::ranges::any_of(lines_, [&](Cells line) { return (line & ~stones) == 0; });
}

LineSolver::Outlook LineSolver::Look(const Board& board) const {
  Outlook outlook;
  for (const Cells line : lines_) {
    const bool opponents_there = (line & board.opponent) != 0;
    const bool own_there = (line & board.own) != 0;
    if (!opponents_there) {
      outlook.own_may = true;
      const Cells missing = line & ~board.own;
      if (std::has_single_bit(missing)) outlook.own_wins |= missing;
    }
    if (!own_there) {
      outlook.opponent_may = true;
      const Cells missing = line & ~board.opponent;
      if (std::has_single_bit(missing)) outlook.opponent_wins |= missing;
    }
  }
  return outlook;
}

// Alpha-beta over the empty cells. REQUIRES: no line is complete.
int LineSolver::Search(const Board& board, int alpha, int beta) {
  if (!limit_.Count()) return 0;  // Solve reports it, nothing is stored
  const Cells empty = full_ & ~(board.own | board.opponent);
  if (empty == 0) return 0;
  const Outlook outlook = Look(board);
  if (outlook.own_wins != 0) return 1;
  if (outlook.opponent_wins != 0 && !std::has_single_bit(outlook.opponent_wins)) return -1;
  Bounds bounds{.low = outlook.opponent_may ? -1 : 0, .high = outlook.own_may ? 1 : 0};
  const std::uint64_t key = std::uint64_t{board.own} << 25 | board.opponent;
  const Bounds known = Unpack(table_.Find(key));
  bounds.low = std::max(bounds.low, known.low);
  bounds.high = std::min(bounds.high, known.high);
  if (bounds.low == bounds.high) return bounds.low;
  alpha = std::max(alpha, bounds.low);
  beta = std::min(beta, bounds.high);
  if (alpha >= beta) return alpha >= bounds.high ? bounds.high : bounds.low;
  const Cells moves = outlook.opponent_wins != 0 ? outlook.opponent_wins : empty;
  const int value = SearchMoves(board, moves, alpha, beta);
  if (limit_.is_over()) return 0;
  if (value < beta) bounds.high = value;
  if (value > alpha) bounds.low = value;
  table_.Store(key, Pack(bounds));
  return value;
}

int LineSolver::SearchMoves(const Board& board, Cells moves, int alpha, int beta) {
  int best = -1;
  for (const Cells cell : best_first_) {
    if ((cell & moves) == 0) continue;
    const Board next{.own = board.opponent, .opponent = board.own | cell};
    best = std::max(best, -Search(next, -beta, -std::max(alpha, best)));
    if (best >= beta || limit_.is_over()) break;
  }
  return best;
}

Result<int> LineSolver::Solve(std::span<const Action> actions) {
  Board board;
  for (std::size_t ply = 0; ply < actions.size(); ++ply) {
    const int cell = Index(actions[ply]);
    const Cells taken = board.own | board.opponent;
    if (cell >= cells_ || (taken >> cell & 1) != 0 || HasLine(board.opponent)) {
      return solver_internal::IllegalAction(ply, actions[ply]);
    }
    board = {.own = board.opponent, .opponent = board.own | Cells{1} << cell};
  }
  limit_.Restart();
  if (HasLine(board.opponent)) return -1;
  const int value = Search(board, -1, 1);
  if (limit_.is_over()) return limit_.failure();
  return value;
}

}  // namespace az
