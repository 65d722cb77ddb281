#pragma once
// Connect Four: 7 columns, 6 rows; a stone falls to the lowest empty cell of its column; four in a
// row, column or diagonal win; a full board is a draw.
//
//   6  35 36 37 38 39 40 41   action = column, text 1-7; cell = row * 7 + col, row 0 at the bottom
//   .   .  .  .  .  .  .  .   The bitboards are the planes as they are: Encode is two stores, the
//   2   7  8  9 10 11 12 13   legal columns are seven bits of the top row. Lines that would run
//   1   0  1  2  3  4  5  6   round the edge are masked by their lowest cell: no guard column.
//       1  2  3  4  5  6  7
//                             kMaxPlies = 42: every ply fills a cell.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/hash.h"
#include "games/action_set.h"
#include "games/game.h"
#include "games/game_status.h"

namespace az {

// Thread-compatible.
class ConnectFour {
 public:
  static constexpr std::string_view kName = "connect_four";
  static constexpr std::string_view kFamily = "connect_four";
  static constexpr int kBoardSize = 0;
  static constexpr int kNumActions = 7;
  static constexpr int kMaxPlies = 42;
  static constexpr int kNumSymmetries = 2;  // symmetry 1 exchanges left and right
  static constexpr PlaneShape kShape{.planes = 2, .rows = 6, .cols = 7};

  Player ToMove() const { return to_move_; }
  std::optional<Outcome> Result() const { return status_.Result(); }
  ActionSet<kNumActions> LegalActions() const {
    if (status_.over()) return {};
    return ActionSet<kNumActions>(~(own_ | opponent_) >> kTopRowShift & kBottomRow);
  }
  // REQUIRES: LegalActions().Contains(a).
  void Apply(Action a);

  std::uint64_t Hash() const {
    return HashCombine(HashCombine(0x636F6E6E656374U, own_), opponent_);
  }
  void Encode(std::span<std::uint64_t> bits) const {
    bits[0] = own_;
    bits[1] = opponent_;
  }
  static Action MapAction(Action a, int symmetry) {
    return symmetry == 0 ? a : static_cast<Action>(kCols - 1 - Index(a));
  }
  static int MapCell(int cell, int symmetry) {
    return symmetry == 0 ? cell : cell - cell % kCols + (kCols - 1 - cell % kCols);
  }
  std::string MoveText(Action a) const;
  std::string ToString() const;
  friend bool operator==(const ConnectFour&, const ConnectFour&) = default;

 private:
  static constexpr int kRows = 6;
  static constexpr int kCols = 7;
  static constexpr int kTopRowShift = (kRows - 1) * kCols;
  static constexpr std::uint64_t kFull = (std::uint64_t{1} << (kRows * kCols)) - 1;
  static constexpr std::uint64_t kBottomRow = (std::uint64_t{1} << kCols) - 1;
  static constexpr std::uint64_t kFirstColumn = kFull / kBottomRow;
  static constexpr std::uint64_t kLeftFour = kFirstColumn * 0b0001111;   // columns 1-4
  static constexpr std::uint64_t kRightFour = kFirstColumn * 0b1111000;  // columns 4-7

  static bool HasFour(std::uint64_t stones);

  std::uint64_t own_ = 0;  // stones of the side to move
  std::uint64_t opponent_ = 0;
  Player to_move_ = Player::kFirst;
  GameStatus status_;
};
static_assert(sizeof(ConnectFour) == 24);

// Finds a line at its lowest cell, a horizontal one at its leftmost.
inline bool ConnectFour::HasFour(std::uint64_t stones) {
  const std::uint64_t right = stones & stones >> 1;
  const std::uint64_t up = stones & stones >> kCols;
  const std::uint64_t up_right = stones & stones >> (kCols + 1);
  const std::uint64_t up_left = stones & stones >> (kCols - 1);
  const std::uint64_t to_right = (right & right >> 2) | (up_right & up_right >> (2 * (kCols + 1)));
  const std::uint64_t to_left = up_left & up_left >> (2 * (kCols - 1));
  const std::uint64_t column = up & up >> (2 * kCols);
  return ((to_right & kLeftFour) | (to_left & kRightFour) | column) != 0;
}

inline void ConnectFour::Apply(Action a) {
  AZ_DCHECK(LegalActions().Contains(a));
  const std::uint64_t empty = ~(own_ | opponent_) & kFirstColumn << Index(a);
  const std::uint64_t stones = own_ | (empty & (0 - empty));
  own_ = opponent_;
  opponent_ = stones;
  if (HasFour(stones)) {
    status_ = GameStatus::WonBy(to_move_);
  } else if ((own_ | stones) == kFull) {
    status_ = GameStatus::Drawn();
  }
  to_move_ = Opponent(to_move_);
}

static_assert(GameState<ConnectFour>);

}  // namespace az
