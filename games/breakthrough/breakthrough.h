#pragma once
// Breakthrough: pieces step one row forward, straight or diagonally, and capture diagonally only.
// Reaching the last row or taking the opponent's last piece wins at once. There is always a move,
// as the foremost piece can step, so there are no draws.
//
//   5  x x x x x   row 0     the first player (x) begins on the PieceRows upper rows and goes down;
//   4  x x x x x             row 0 is printed as the highest rank; text "a5b4"
//   3  . . . . .             action = (row * Cols + col) * 3 + dc + 1, where dc = -1, 0, 1 is the
//   2  o o o o o             step's change of column and row, col its origin
//   1  o o o o o
//      a b c d e
//
// View: rows are mirrored for the second player, so that the side to move always goes to higher
// rows.
//
// kMaxPlies: every ply takes one piece one row on. A piece that begins on row r can take Rows - 2 -
// r steps without winning, so all of both sides together can take at most 2 * Cols * (sum of those
// over the PieceRows rows), and one more ply wins.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "base/check.h"
#include "base/hash.h"
#include "games/action_set.h"
#include "games/board_text.h"
#include "games/fixed_name.h"
#include "games/game.h"
#include "games/game_status.h"

namespace az {

namespace breakthrough_internal {

template <int Rows, int Cols, int PieceRows>
inline constexpr bool kIsStandard = Rows == Cols&& PieceRows == 2;
template <int Rows, int Cols, int PieceRows>
inline constexpr FixedName kName =
    kIsStandard<Rows, Cols, PieceRows>
        ? FixedName("breakthrough").Then(Rows)
        : FixedName("breakthrough_").Then(Rows).Then("_").Then(Cols).Then("_").Then(PieceRows);

}  // namespace breakthrough_internal

// Thread-compatible.
template <int Rows, int Cols, int PieceRows = 2>
class Breakthrough {
  static_assert(Cols >= 3 && PieceRows >= 1 && Rows >= 2 * PieceRows && Rows * Cols <= 64);

 public:
  static constexpr std::string_view kName =
      breakthrough_internal::kName<Rows, Cols, PieceRows>.view();
  static constexpr std::string_view kFamily =
      breakthrough_internal::kIsStandard<Rows, Cols, PieceRows> ? "breakthrough" : kName;
  static constexpr int kBoardSize =
      breakthrough_internal::kIsStandard<Rows, Cols, PieceRows> ? Rows : 0;
  static constexpr int kNumActions = Rows * Cols * 3;
  static constexpr int kMaxLegal = PieceRows * Cols * 3;
  static constexpr int kMaxPlies =
      2 * Cols * (PieceRows * (Rows - 2) - PieceRows * (PieceRows - 1) / 2) + 1;
  static constexpr int kNumSymmetries = 2;  // symmetry 1 exchanges left and right
  static constexpr PlaneShape kShape{.planes = 2, .rows = Rows, .cols = Cols};

  Player ToMove() const { return to_move_; }
  std::optional<Outcome> Result() const { return status_.Result(); }
  ActionSet<kNumActions> LegalActions() const;
  // REQUIRES: LegalActions().Contains(a).
  void Apply(Action a);

  std::uint64_t Hash() const {
    // The mover's planes are enough: the other view is the same board turned round.
    const View& view = ViewOf(to_move_);
    return HashCombine(HashCombine(0x627265616BU + Rows * 64 + Cols, view.own), view.opponent);
  }
  void Encode(std::span<std::uint64_t> bits) const {
    bits[0] = ViewOf(to_move_).own;
    bits[1] = ViewOf(to_move_).opponent;
  }
  static Action MapAction(Action a, int symmetry) {
    if (symmetry == 0) return a;
    return static_cast<Action>(MapCell(Index(a) / 3, symmetry) * 3 + 2 - Index(a) % 3);
  }
  static int MapCell(int cell, int symmetry) {
    return symmetry == 0 ? cell : cell - cell % Cols + (Cols - 1 - cell % Cols);
  }
  std::string MoveText(Action a) const;
  std::string ToString() const;
  friend bool operator==(const Breakthrough&, const Breakthrough&) = default;

 private:
  // The board as one player sees it. Both views are kept, so that nothing is turned at a leaf.
  struct View {
    std::uint64_t own = 0;
    std::uint64_t opponent = 0;
    friend bool operator==(const View&, const View&) = default;
  };
  using Actions = ActionSet<kNumActions>;

  static constexpr std::uint64_t kFull = ~std::uint64_t{0} >> (64 - Rows * Cols);
  static constexpr std::uint64_t kRow = (std::uint64_t{1} << Cols) - 1;
  static constexpr std::uint64_t kFirstColumn = kFull / kRow;
  static constexpr std::uint64_t kLastColumn = kFirstColumn << (Cols - 1);
  static constexpr std::uint64_t kNearPieces = kFull >> (Rows - PieceRows) * Cols;
  static constexpr std::uint64_t kFarPieces = kNearPieces << (Rows - PieceRows) * Cols;

  static constexpr std::uint64_t Bit(int cell) { return std::uint64_t{1} << cell; }
  // The same cell with the rows mirrored.
  static constexpr int Turned(int cell) { return (Rows - 1 - cell / Cols) * Cols + cell % Cols; }
  // Adds the action cell * 3 + kStep for every cell of the set.
  template <int kStep>
  static void AddSteps(std::uint64_t cells, Actions& actions);
  View& ViewOf(Player player) { return views_[static_cast<std::size_t>(player)]; }
  const View& ViewOf(Player player) const { return views_[static_cast<std::size_t>(player)]; }

  std::array<View, 2> views_{View{kNearPieces, kFarPieces}, View{kNearPieces, kFarPieces}};
  Player to_move_ = Player::kFirst;
  GameStatus status_;
};

static_assert(sizeof(Breakthrough<8, 8>) == 40);

}  // namespace az

#include "games/breakthrough/breakthrough_inl.h"
