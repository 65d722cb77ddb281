#include "games/solvers/hex_solver.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace az {
namespace {

template <class F>
void ForEachCell(std::uint32_t set, F&& f) {
  for (; set != 0; set &= set - 1) f(static_cast<std::size_t>(std::countr_zero(set)));
}

bool Holds(std::uint32_t set, std::uint32_t part) { return (part & ~set) == 0; }

}  // namespace

HexSolver::HexSolver(int size, const SolverOptions& options)
    : size_(size),
      cells_(size * size),
      full_((std::uint32_t{1} << cells_) - 1),
      limit_(options),
      table_(std::bit_floor(static_cast<std::size_t>(options.table.count()) / sizeof(Slot) | 1)) {
  AZ_CHECK(size >= 2 && size <= 5) << size;
  MakeTables();
}

void HexSolver::MakeTables() {
  constexpr std::pair<int, int> kSteps[] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {-1, 1}, {1, -1}};
  const auto bit = [&](int row, int col) { return Cells{1} << (row * size_ + col); };
  for (int row = 0; row < size_; ++row) {
    for (int col = 0; col < size_; ++col) {
      for (const auto& [down, right] : kSteps) {
        const int r = row + down;
        const int c = col + right;
        if (r < 0 || r >= size_ || c < 0 || c >= size_) continue;
        neighbours_[static_cast<std::size_t>(row * size_ + col)] |= bit(r, c);
      }
    }
  }
  for (int i = 0; i < size_; ++i) {
    borders_[0][0] |= bit(0, i);
    borders_[0][1] |= bit(size_ - 1, i);
    borders_[1][0] |= bit(i, 0);
    borders_[1][1] |= bit(i, size_ - 1);
  }
  for (std::size_t a = 0; a < static_cast<std::size_t>(cells_); ++a) {
    for (std::size_t b = 0; b < static_cast<std::size_t>(cells_); ++b) {
      const Cells pair = neighbours_[a] & neighbours_[b];
      if (a == b || (neighbours_[a] >> b & 1) != 0 || std::popcount(pair) != 2) continue;
      bridges_[a].push_back({.to = static_cast<int>(b), .pair = pair});
    }
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t end = 0; end < 2; ++end) {
        const Cells border = borders_[side][end];
        const Cells pair = neighbours_[a] & border;
        if ((border >> a & 1) == 0 && std::popcount(pair) == 2) border_pairs_[side][end][a] = pair;
      }
    }
  }
}

HexSolver::Cells HexSolver::ChainOf(Cells seed, Cells stones) const {
  Cells chain = seed;
  for (Cells fresh = seed; fresh != 0;) {
    Cells next = 0;
    ForEachCell(fresh, [&](std::size_t cell) { next |= neighbours_[cell]; });
    fresh = next & stones & ~chain;
    chain |= fresh;
  }
  return chain;
}

// Whether `side` joins its borders even if the opponent moves: through stones, and over bridges no
// two of which share a cell. Sound but not complete: each chain is reached along one path only.
bool HexSolver::IsBridged(int side, Cells stones, Cells empty, Cells& carrier) const {
  struct Part {
    Cells chain;
    Cells path;  // the bridges crossed to get here
  };
  const auto& pairs = border_pairs_[static_cast<std::size_t>(side)];
  const auto& borders = borders_[static_cast<std::size_t>(side)];
  std::array<Part, kMaxCells> parts;
  std::size_t count = 0;
  Cells reached = 0;
  const auto add = [&](Cells seed, Cells path) {
    if ((seed & reached) != 0) return;
    const Cells chain = ChainOf(seed, stones);
    reached |= chain;
    parts[count++] = {.chain = chain, .path = path};
  };
  ForEachCell(stones & borders[0], [&](std::size_t cell) { add(Cells{1} << cell, 0); });
  ForEachCell(stones, [&](std::size_t cell) {
    const Cells pair = pairs[0][cell];
    if (pair != 0 && Holds(empty, pair)) add(Cells{1} << cell, pair);
  });
  for (std::size_t i = 0; i < count; ++i) {
    const Part part = parts[i];
    if ((part.chain & borders[1]) != 0) {
      carrier = part.path;
      return true;
    }
    const Cells free = empty & ~part.path;
    for (Cells rest = part.chain; rest != 0; rest &= rest - 1) {
      const auto cell = static_cast<std::size_t>(std::countr_zero(rest));
      const Cells last = pairs[1][cell];
      if (last != 0 && Holds(free, last)) {
        carrier = part.path | last;
        return true;
      }
      for (const Bridge& bridge : bridges_[cell]) {
        if ((stones >> bridge.to & 1) == 0 || !Holds(free, bridge.pair)) continue;
        add(Cells{1} << bridge.to, part.path | bridge.pair);
      }
    }
  }
  return false;
}

// Adds to ways[cell], for each empty cell, the number of empty cells on the shortest path of `side`
// through it.
void HexSolver::AddWays(int side, const Board& board, std::array<int, kMaxCells>& ways) const {
  const Cells own = board.stones[static_cast<std::size_t>(side)];
  const Cells empty = full_ & ~(board.stones[0] | board.stones[1]);
  for (const Cells border : borders_[static_cast<std::size_t>(side)]) {
    Cells reached = ChainOf(own & border, own);
    Cells edge = border;  // cells that the next step may enter
    for (int steps = 1; steps <= cells_; ++steps) {
      ForEachCell(reached, [&](std::size_t cell) { edge |= neighbours_[cell]; });
      const Cells fresh = edge & empty & ~reached;
      ForEachCell(empty & ~reached & ~fresh, [&](std::size_t cell) { ++ways[cell]; });
      if (fresh == 0) break;
      reached = ChainOf(reached | fresh, own | reached | fresh);
    }
  }
}

HexSolver::Board HexSolver::After(Board board, Cells stone) {
  board.stones[static_cast<std::size_t>(board.mover)] |= stone;
  board.mover = 1 - board.mover;
  return board;
}

HexSolver::Outlook HexSolver::Look(const Board& board) {
  limit_.Count();
  const int other = 1 - board.mover;
  const Cells own = board.stones[static_cast<std::size_t>(board.mover)];
  const Cells opponents = board.stones[static_cast<std::size_t>(other)];
  const Cells empty = full_ & ~(own | opponents);
  const auto decided = [](bool mover_wins, Cells carrier) {
    return Outlook{.decided = true, .verdict = {.mover_wins = mover_wins, .carrier = carrier}};
  };
  Cells carrier = 0;
  if (IsBridged(other, opponents, empty, carrier)) return decided(false, carrier);
  const std::uint64_t key = KeyOf(board);
  if (const Slot& slot = SlotOf(key); slot.key == key) {
    return decided(slot.mover_wins, slot.carrier);
  }
  Outlook outlook{.must_play = empty};
  for (Cells rest = empty; rest != 0; rest &= rest - 1) {
    const Cells cell = rest & (0 - rest);
    if (IsBridged(board.mover, own | cell, empty & ~cell, carrier)) {
      return decided(true, carrier | cell);
    }
    if (IsBridged(other, opponents | cell, empty & ~cell, carrier)) {
      outlook.must_play &= carrier | cell;
      outlook.threats |= carrier | cell;
    }
  }
  if (outlook.must_play == 0) return decided(false, outlook.threats);
  return outlook;
}

HexSolver::Verdict HexSolver::Search(const Board& board, const Outlook& outlook) {
  if (outlook.decided) return outlook.verdict;
  const Verdict verdict = SearchMoves(board, outlook.must_play, outlook.threats);
  if (!limit_.is_over()) {
    const std::uint64_t key = KeyOf(board);
    SlotOf(key) = {.key = key, .carrier = verdict.carrier, .mover_wins = verdict.mover_wins};
  }
  return verdict;
}

// `needed`: the cells of the opponent's threats that the moves of must_play meet.
HexSolver::Verdict HexSolver::SearchMoves(const Board& board, Cells must_play, Cells needed) {
  struct Child {
    Cells stone;
    int order;
    Outlook outlook;
  };
  std::array<int, kMaxCells> ways{};
  AddWays(0, board, ways);
  AddWays(1, board, ways);
  std::array<Child, kMaxCells> children;
  std::size_t count = 0;
  for (Cells rest = must_play; rest != 0; rest &= rest - 1) {
    const Cells stone = rest & (0 - rest);
    const Outlook outlook = Look(After(board, stone));
    if (outlook.decided && !outlook.verdict.mover_wins) {
      return {.mover_wins = true, .carrier = outlook.verdict.carrier | stone};
    }
    // Prefers the move that leaves the opponent the fewest answers, then the one on short paths.
    const int way = ways[static_cast<std::size_t>(std::countr_zero(rest))];
    const int answers = outlook.decided ? 0 : std::popcount(outlook.must_play);
    children[count++] = {.stone = stone, .order = answers * 64 + way, .outlook = outlook};
  }
  const auto by_order = std::span(children).first(count);
  std::ranges::sort(by_order, {}, &Child::order);
  for (const Child& child : by_order) {
    if ((child.stone & must_play) == 0) continue;
    const Verdict reply = Search(After(board, child.stone), child.outlook);
    if (!reply.mover_wins) return {.mover_wins = true, .carrier = reply.carrier | child.stone};
    must_play &= reply.carrier;
    needed |= reply.carrier;
    if (must_play == 0 || limit_.is_over()) break;
  }
  return {.mover_wins = false, .carrier = needed};
}

Result<HexSolver::Board> HexSolver::Replay(std::span<const Action> actions) const {
  Board board;
  for (std::size_t ply = 0; ply < actions.size(); ++ply) {
    const int action = Index(actions[ply]);
    // The second player's actions have rows and columns exchanged.
    const int cell = board.mover == 0 ? action : action % size_ * size_ + action / size_;
    Cells carrier = 0;
    const bool over =
        ply > 0 && IsBridged(1 - board.mover,
                             board.stones[static_cast<std::size_t>(1 - board.mover)], 0, carrier);
    if (over || action >= cells_ || ((board.stones[0] | board.stones[1]) >> cell & 1) != 0) {
      return solver_internal::IllegalAction(ply, actions[ply]);
    }
    board.stones[static_cast<std::size_t>(board.mover)] |= Cells{1} << cell;
    board.mover = 1 - board.mover;
  }
  return board;
}

Result<int> HexSolver::Solve(std::span<const Action> actions) {
  AZ_ASSIGN_OR_RETURN(const Board board, Replay(actions));
  limit_.Restart();
  const Verdict verdict = Search(board, Look(board));
  if (limit_.is_over()) return limit_.failure();
  return verdict.mover_wins ? 1 : -1;
}

}  // namespace az
