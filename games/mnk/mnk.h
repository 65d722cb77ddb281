#pragma once
// m,n,k-games: M columns, N rows, K or more in a row (column, diagonal) win, free style; a win with
// the last stone is a win; a full board is a draw. Gomoku is Mnk<15, 15, 5>; tic-tac-toe would be
// Mnk<3, 3, 3> and has a faster type of its own.
//
//   2  5 6 7 8 9      action = cell = row * M + col; row 0 is printed as row 1, at the bottom;
//   1  0 1 2 3 4      columns without the letter i (GTP)
//      a b c d e      kMaxPlies = M * N: every ply fills a cell

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "games/action_set.h"
#include "games/board_symmetry.h"
#include "games/board_text.h"
#include "games/fixed_name.h"
#include "games/game.h"
#include "games/game_status.h"

namespace az {

namespace mnk_internal {

constexpr bool IsGomoku(int cols, int rows, int length) {
  return cols == rows && cols >= 9 && length == 5;
}
template <int M, int N, int K>
inline constexpr FixedName kName =
    IsGomoku(M, N, K) ? FixedName("gomoku").Then(M)
                      : FixedName("mnk_").Then(M).Then("_").Then(N).Then("_").Then(K);

// The number of cells that a line through a cell can cover on the board, at most K - 1 each way:
// [direction][back, ahead].
using Reach = std::array<std::array<std::uint8_t, 2>, 4>;
template <int M, int N, int K>
constexpr std::array<Reach, static_cast<std::size_t>(M* N)> MakeReach() {
  std::array<Reach, static_cast<std::size_t>(M * N)> table{};
  for (int cell = 0; cell < M * N; ++cell) {
    const int left = std::min(cell % M, K - 1);
    const int right = std::min(M - 1 - cell % M, K - 1);
    const int down = std::min(cell / M, K - 1);
    const int up = std::min(N - 1 - cell / M, K - 1);
    const auto pair = [](int back, int ahead) {
      return std::array{static_cast<std::uint8_t>(back), static_cast<std::uint8_t>(ahead)};
    };
    table[static_cast<std::size_t>(cell)] = {pair(left, right), pair(down, up),
                                             pair(std::min(left, down), std::min(right, up)),
                                             pair(std::min(right, down), std::min(left, up))};
  }
  return table;
}
template <int M, int N, int K>
inline constexpr auto kReach = MakeReach<M, N, K>();

}  // namespace mnk_internal

// Thread-compatible.
template <int M, int N, int K>
class Mnk {
  static_assert(M >= 3 && M <= 19 && N >= 3 && N <= 19 && K >= 3 && K <= std::max(M, N));
  using Symmetry = BoardSymmetry<N, M>;

 public:
  static constexpr std::string_view kName = mnk_internal::kName<M, N, K>.view();
  static constexpr std::string_view kFamily = mnk_internal::IsGomoku(M, N, K) ? "gomoku" : kName;
  static constexpr int kBoardSize = mnk_internal::IsGomoku(M, N, K) ? M : 0;
  static constexpr int kNumActions = M * N;
  static constexpr int kMaxPlies = M * N;
  static constexpr int kNumSymmetries = Symmetry::kCount;
  static constexpr PlaneShape kShape{.planes = 2, .rows = N, .cols = M};

  Player ToMove() const { return to_move_; }
  std::optional<Outcome> Result() const { return status_.Result(); }
  ActionSet<kNumActions> LegalActions() const;
  // REQUIRES: LegalActions().Contains(a).
  void Apply(Action a);

  std::uint64_t Hash() const;
  void Encode(std::span<std::uint64_t> bits) const {
    std::ranges::copy(own_, bits.begin());
    std::ranges::copy(opponent_, bits.begin() + kWords);
  }
  static Action MapAction(Action a, int symmetry) {
    return static_cast<Action>(Symmetry::Map(Index(a), symmetry));
  }
  static int MapCell(int cell, int symmetry) { return Symmetry::Map(cell, symmetry); }
  std::string MoveText(Action a) const {
    return GtpCellText({.row = Index(a) / M, .col = Index(a) % M});
  }
  std::string ToString() const;
  friend bool operator==(const Mnk&, const Mnk&) = default;

 private:
  static constexpr int kWords = kShape.words_per_plane();
  static constexpr std::uint64_t kLastWord = ~std::uint64_t{0} >> (kWords * 64 - M * N);
  using Board = std::array<std::uint64_t, static_cast<std::size_t>(kWords)>;

  static bool Has(const Board& board, int cell) {
    return (board[static_cast<std::size_t>(cell) / 64] >> (cell % 64) & 1) != 0;
  }
  static bool HasLineThrough(const Board& stones, int cell);
  bool IsFull() const;

  Board own_{};  // stones of the side to move
  Board opponent_{};
  Player to_move_ = Player::kFirst;
  GameStatus status_;
};

template <int M, int N, int K>
auto Mnk<M, N, K>::LegalActions() const -> ActionSet<kNumActions> {
  ActionSet<kNumActions> legal;
  if (status_.over()) return legal;
  for (std::size_t w = 0; w < own_.size(); ++w) legal.words()[w] = ~(own_[w] | opponent_[w]);
  legal.words().back() &= kLastWord;
  return legal;
}

// Looks at no more than 8 * (K - 1) cells, as only the stone just placed can complete a line.
template <int M, int N, int K>
bool Mnk<M, N, K>::HasLineThrough(const Board& stones, int cell) {
  constexpr std::array<int, 4> kSteps = {1, M, M + 1, M - 1};  // as in Reach
  const mnk_internal::Reach& reach = mnk_internal::kReach<M, N, K>[static_cast<std::size_t>(cell)];
  for (std::size_t d = 0; d < kSteps.size(); ++d) {
    int length = 1;
    for (int k = 1; k <= reach[d][0] && Has(stones, cell - k * kSteps[d]); ++k) ++length;
    for (int k = 1; k <= reach[d][1] && Has(stones, cell + k * kSteps[d]); ++k) ++length;
    if (length >= K) return true;
  }
  return false;
}

template <int M, int N, int K>
bool Mnk<M, N, K>::IsFull() const {
  for (std::size_t w = 0; w + 1 < own_.size(); ++w) {
    if (~(own_[w] | opponent_[w]) != 0) return false;
  }
  return (own_.back() | opponent_.back()) == kLastWord;
}

template <int M, int N, int K>
void Mnk<M, N, K>::Apply(Action a) {
  AZ_DCHECK(LegalActions().Contains(a));
  const int cell = Index(a);
  own_[static_cast<std::size_t>(cell) / 64] |= std::uint64_t{1} << (cell % 64);
  if (HasLineThrough(own_, cell)) {
    status_ = GameStatus::WonBy(to_move_);
  } else if (IsFull()) {
    status_ = GameStatus::Drawn();
  }
  std::swap(own_, opponent_);
  to_move_ = Opponent(to_move_);
}

template <int M, int N, int K>
std::uint64_t Mnk<M, N, K>::Hash() const {
  // The planes are enough: the numbers of stones say who is to move, their places whether the game
  // is over.
  std::uint64_t hash = 0x6D6E6BU + static_cast<std::uint64_t>((M * 32 + N) * 32 + K);
  for (const std::uint64_t word : own_) hash = HashCombine(hash, word);
  for (const std::uint64_t word : opponent_) hash = HashCombine(hash, word);
  return hash;
}

template <int M, int N, int K>
std::string Mnk<M, N, K>::ToString() const {
  std::string cells(M * N, kEmptyCell);
  const bool first_moves = to_move_ == Player::kFirst;
  for (int cell = 0; cell < M * N; ++cell) {
    char& letter = cells[static_cast<std::size_t>(cell)];
    if (Has(own_, cell)) letter = first_moves ? kFirstStone : kSecondStone;
    if (Has(opponent_, cell)) letter = first_moves ? kSecondStone : kFirstStone;
  }
  return BoardText(cells, {.cols = M, .letters = ColumnLetters::kSkipI}) +
         StatusLine(to_move_, status_);
}

static_assert(sizeof(Mnk<5, 5, 4>) == 24 && sizeof(Mnk<15, 15, 5>) == 72);
static_assert(GameState<Mnk<5, 3, 3>>);

}  // namespace az
