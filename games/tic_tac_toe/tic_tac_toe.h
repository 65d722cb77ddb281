#pragma once
// Tic-tac-toe: 3x3, three in a row wins, a win with the last stone is a win, a full board is a
// draw.
//
//   3  6 7 8      action = cell = row * 3 + col; row 0 is printed as row 1, at the bottom
//   2  3 4 5
//   1  0 1 2      kMaxPlies = 9: every ply fills a cell
//      a b c

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"
#include "games/action_set.h"
#include "games/game.h"
#include "games/game_status.h"

namespace az {

// Thread-compatible.
class TicTacToe {
 public:
  static constexpr std::string_view kName = "tic_tac_toe";
  static constexpr std::string_view kFamily = "tic_tac_toe";
  static constexpr int kBoardSize = 0;
  static constexpr int kNumActions = 9;
  static constexpr int kMaxPlies = 9;
  static constexpr int kNumSymmetries = 8;  // bit 2: transpose first; bits 0-1: then quarter turns
  static constexpr PlaneShape kShape{.planes = 2, .rows = 3, .cols = 3};

  Player ToMove() const { return to_move_; }
  std::optional<Outcome> Result() const { return status_.Result(); }
  ActionSet<kNumActions> LegalActions() const {
    if (status_.over()) return {};
    return ActionSet<kNumActions>(kFull & ~std::uint64_t{own_} & ~std::uint64_t{opponent_});
  }
  // REQUIRES: LegalActions().Contains(a).
  void Apply(Action a);

  std::uint64_t Hash() const;
  void Encode(std::span<std::uint64_t> bits) const {
    bits[0] = own_;
    bits[1] = opponent_;
  }
  static Action MapAction(Action a, int symmetry);
  static int MapCell(int cell, int symmetry);
  std::string MoveText(Action a) const;
  std::string ToString() const;
  friend bool operator==(const TicTacToe&, const TicTacToe&) = default;

 private:
  static constexpr std::uint64_t kFull = 0x1FF;

  std::uint16_t own_ = 0;  // stones of the side to move
  std::uint16_t opponent_ = 0;
  Player to_move_ = Player::kFirst;
  GameStatus status_;
};
static_assert(sizeof(TicTacToe) == 6);

namespace tic_tac_toe_internal {

// Table with a bit for each nine-bit board: set where the board holds a line.
constexpr std::array<std::uint64_t, 8> MakeWinTable() {
  constexpr std::array<unsigned, 8> kLines = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
  std::array<std::uint64_t, 8> table{};
  for (unsigned board = 0; board < 512; ++board) {
    for (const unsigned line : kLines) {
      if ((board & line) == line) table[board / 64] |= std::uint64_t{1} << (board % 64);
    }
  }
  return table;
}
inline constexpr std::array<std::uint64_t, 8> kWins = MakeWinTable();

}  // namespace tic_tac_toe_internal

inline void TicTacToe::Apply(Action a) {
  AZ_DCHECK(LegalActions().Contains(a));
  const unsigned stones = own_ | (1u << Index(a));
  own_ = opponent_;
  opponent_ = static_cast<std::uint16_t>(stones);
  if ((tic_tac_toe_internal::kWins[stones / 64] >> (stones % 64) & 1) != 0) {
    status_ = GameStatus::WonBy(to_move_);
  } else if ((own_ | stones) == kFull) {
    status_ = GameStatus::Drawn();
  }
  to_move_ = Opponent(to_move_);
}

static_assert(GameState<TicTacToe>);

}  // namespace az
