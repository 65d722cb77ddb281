#include "games/solvers/breakthrough_solver.h"

#include <algorithm>
#include <bit>

namespace az {
namespace {

constexpr std::uint8_t kLost = 1;
constexpr std::uint8_t kWon = 2;

}  // namespace

BreakthroughSolver::BreakthroughSolver(BreakthroughBoard board, const SolverOptions& options)
    : rows_(board.rows),
      cols_(board.cols),
      piece_rows_(board.piece_rows),
      full_((Cells{1} << (board.rows * board.cols)) - 1),
      not_first_(full_),
      not_last_(full_),
      limit_(options),
      table_(options.table) {
  AZ_CHECK(rows_ * cols_ <= 25 && rows_ >= 3 && cols_ >= 2 && 2 * piece_rows_ <= rows_);
  for (int row = 0; row < rows_; ++row) {
    not_first_ &= ~(Cells{1} << (row * cols_));
    not_last_ &= ~(Cells{1} << (row * cols_ + cols_ - 1));
  }
}

BreakthroughSolver::Cells BreakthroughSolver::TurnedRound(Cells set) const {
  Cells turned = 0;
  for (int row = 0; row < rows_; ++row) {
    turned |= (set >> (row * cols_) & Row(0)) << ((rows_ - 1 - row) * cols_);
  }
  return turned;
}

BreakthroughSolver::Cells BreakthroughSolver::Mirrored(Cells set) const {
  const Cells first = full_ & ~not_first_;
  Cells mirrored = 0;
  for (int col = 0; col < cols_; ++col) {
    mirrored |= (set >> col & first) << (cols_ - 1 - col);
  }
  return mirrored;
}

// One key for a position and its mirror image.
std::uint64_t BreakthroughSolver::KeyOf(const Position& position) const {
  const std::uint64_t key = std::uint64_t{position.own} << 25 | position.opponent;
  const std::uint64_t mirrored =
      std::uint64_t{Mirrored(position.own)} << 25 | Mirrored(position.opponent);
  return std::min(key, mirrored);
}

bool BreakthroughSolver::IsLost(const Position& position) const {
  return position.own == 0 || (position.opponent & Row(0)) != 0;
}

BreakthroughSolver::Position BreakthroughSolver::After(const Position& position, Cells from,
                                                       Cells to) const {
  return {.own = TurnedRound(position.opponent & ~to),
          .opponent = TurnedRound((position.own & ~from) | to)};
}

// The moves into `targets`, most promising first: captures, cells out of reach, far cells.
BreakthroughSolver::Moves BreakthroughSolver::OrderedMoves(const Position& position,
                                                           Cells targets) const {
  const Cells own = position.own;
  const Cells attacked = (position.opponent & not_first_) >> (cols_ + 1) |
                         (position.opponent & not_last_) >> (cols_ - 1);
  Moves moves;
  const auto add = [&](Cells to_cells, int step) {
    for (Cells rest = to_cells & targets; rest != 0; rest &= rest - 1) {
      const Cells to = rest & (0 - rest);
      const Move move{.from = to >> step,
                      .to = to,
                      .promise = std::countr_zero(to) / cols_ +
                                 ((to & position.opponent) != 0 ? 16 : 0) +
                                 ((to & attacked) == 0 ? 8 : 0)};
      std::size_t place = moves.count++;
      for (; place > 0 && moves.list[place - 1].promise < move.promise; --place) {
        moves.list[place] = moves.list[place - 1];
      }
      moves.list[place] = move;
    }
  };
  add((own << cols_) & ~(own | position.opponent) & full_, cols_);
  add(((own & not_first_) << (cols_ - 1)) & ~own & full_, cols_ - 1);
  add(((own & not_last_) << (cols_ + 1)) & ~own & full_, cols_ + 1);
  return moves;
}

bool BreakthroughSolver::Wins(const Position& position) {
  limit_.Count();
  const Cells own = position.own;
  const Cells opponent = position.opponent;
  if (IsLost(position)) return false;
  // The foremost piece can always step diagonally: nothing of its own stands before it.
  if ((own & Row(rows_ - 2)) != 0) return true;
  Cells targets = full_;
  if (const Cells threats = opponent & Row(1); threats != 0) {
    if (!std::has_single_bit(threats)) return false;
    targets = threats;
  }
  const std::uint64_t key = KeyOf(position);
  if (const std::uint8_t known = table_.Find(key); known != 0) return known == kWon;
  const Cells attacked =
      (opponent & not_first_) >> (cols_ + 1) | (opponent & not_last_) >> (cols_ - 1);
  const Moves moves = OrderedMoves(position, targets);
  bool wins = false;
  for (std::size_t i = 0; i < moves.count && !wins; ++i) {
    const Move& move = moves.list[i];
    // One step before the last row and out of reach, while the opponent needs two more moves.
    wins = targets == full_ && (move.to & Row(rows_ - 2) & ~attacked) != 0;
  }
  for (std::size_t i = 0; i < moves.count && !wins; ++i) {
    wins = !Wins(After(position, moves.list[i].from, moves.list[i].to));
    if (limit_.is_over()) return false;  // Solve reports it, nothing is stored
  }
  table_.Store(key, wins ? kWon : kLost);
  return wins;
}

Result<BreakthroughSolver::Position> BreakthroughSolver::Replay(
    std::span<const Action> actions) const {
  Position position;
  for (int row = 0; row < piece_rows_; ++row) {
    position.own |= Row(row);
    position.opponent |= Row(rows_ - 1 - row);
  }
  for (std::size_t ply = 0; ply < actions.size(); ++ply) {
    const int cell = Index(actions[ply]) / 3;
    const int aside = Index(actions[ply]) % 3 - 1;
    const int row = cell / cols_ + 1;
    const int col = cell % cols_ + aside;
    const bool on_board = row < rows_ && col >= 0 && col < cols_;
    const Cells from = cell < rows_ * cols_ ? Cells{1} << cell : 0;
    const Cells to = on_board ? Cells{1} << (row * cols_ + col) : 0;
    const Cells blocked = position.own | (aside == 0 ? position.opponent : 0);
    if (IsLost(position) || (from & position.own) == 0 || to == 0 || (to & blocked) != 0) {
      return solver_internal::IllegalAction(ply, actions[ply]);
    }
    position = After(position, from, to);
  }
  return position;
}

Result<int> BreakthroughSolver::Solve(std::span<const Action> actions) {
  AZ_ASSIGN_OR_RETURN(const Position position, Replay(actions));
  limit_.Restart();
  const bool wins = Wins(position);
  if (limit_.is_over()) return limit_.failure();
  return wins ? 1 : -1;
}

}  // namespace az
