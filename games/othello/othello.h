#pragma once
// Othello on N x N cells. A disc is placed where it takes at least one line of the opponent's discs
// between itself and another of the mover's, and turns all such lines over; who cannot place
// passes; the game is over when neither side can; more discs win.
//
//        a b c d e f g h
//      1                     action = cell = row * N + col, row 1 on top; pass = N * N, legal only
//      ...                   when nothing else is, and a ply of its own
//      4       o x           the first player (x) begins on d5 and e4 (that diagonal of the centre
//      5       x o           on other sizes); first moves d3 c4 f5 e6
//
// kMaxPlies = 2 * (N * N - 4): every placement fills a cell, and a pass comes only right after a
// placement.

#include <algorithm>
#include <array>
#include <bit>
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
#include "games/board_text.h"
#include "games/fixed_name.h"
#include "games/game.h"
#include "games/game_status.h"
#include "games/othello/othello_bits.h"

namespace az {

// Thread-compatible.
template <int N>
class Othello {
  using Bits = OthelloBits<N>;

 public:
  static constexpr std::string_view kName = othello_internal::kName<N>.view();
  static constexpr std::string_view kFamily = "othello";
  static constexpr int kBoardSize = N;
  static constexpr int kNumActions = N * N + 1;
  static constexpr int kMaxPlies = 2 * (N * N - 4);
  static constexpr int kNumSymmetries = 4;  // bit 1: half a turn; bit 0: rows and columns exchanged
  static constexpr PlaneShape kShape{.planes = 2, .rows = N, .cols = N};
  static constexpr Action kPass{N * N};

  Player ToMove() const { return to_move_; }
  std::optional<Outcome> Result() const { return status_.Result(); }
  ActionSet<kNumActions> LegalActions() const;
  // REQUIRES: LegalActions().Contains(a).
  void Apply(Action a);

  std::uint64_t Hash() const {
    // The planes are enough: the legal moves follow from them.
    return HashCombine(HashCombine(0x6F7468656C6C6FU + N, own_), opponent_);
  }
  void Encode(std::span<std::uint64_t> bits) const {
    bits[0] = own_;
    bits[1] = opponent_;
  }
  static Action MapAction(Action a, int symmetry) {
    return a == kPass ? a : static_cast<Action>(MapCell(Index(a), symmetry));
  }
  static int MapCell(int cell, int symmetry);
  std::string MoveText(Action a) const {
    return a == kPass ? "pass" : CellText({.row = Index(a) / N, .col = Index(a) % N});
  }
  std::string ToString() const;
  friend bool operator==(const Othello&, const Othello&) = default;

 private:
  GameStatus CountDiscs() const;

  std::uint64_t own_ = Bits::kFirstDiscs;  // discs of the side to move
  std::uint64_t opponent_ = Bits::kSecondDiscs;
  std::uint64_t placements_ = Bits::Placements(own_, opponent_);  // legal for the side to move
  Player to_move_ = Player::kFirst;
  GameStatus status_;
};

template <int N>
ActionSet<Othello<N>::kNumActions> Othello<N>::LegalActions() const {
  ActionSet<kNumActions> legal;
  legal.words()[0] = placements_;
  if (placements_ == 0 && !status_.over()) legal.Add(kPass);
  return legal;
}

template <int N>
void Othello<N>::Apply(Action a) {
  AZ_DCHECK(LegalActions().Contains(a));
  if (a != kPass) {
    const std::uint64_t turned = Bits::Turned(own_, opponent_, Index(a));
    own_ |= turned | Bits::Bit(Index(a));
    opponent_ &= ~turned;
  }
  std::swap(own_, opponent_);
  to_move_ = Opponent(to_move_);
  placements_ = Bits::Placements(own_, opponent_);
  if (placements_ == 0 && Bits::Placements(opponent_, own_) == 0) status_ = CountDiscs();
}

template <int N>
GameStatus Othello<N>::CountDiscs() const {
  const int lead = std::popcount(own_) - std::popcount(opponent_);
  if (lead == 0) return GameStatus::Drawn();
  return GameStatus::WonBy(lead > 0 ? to_move_ : Opponent(to_move_));
}

template <int N>
int Othello<N>::MapCell(int cell, int symmetry) {
  int row = cell / N;
  int col = cell % N;
  if ((symmetry & 1) != 0) std::swap(row, col);
  const int image = row * N + col;
  return (symmetry & 2) != 0 ? N * N - 1 - image : image;
}

template <int N>
std::string Othello<N>::ToString() const {
  const bool first_moves = to_move_ == Player::kFirst;
  std::string cells(N * N, kEmptyCell);
  for (int cell = 0; cell < N * N; ++cell) {
    char& letter = cells[static_cast<std::size_t>(cell)];
    if ((own_ & Bits::Bit(cell)) != 0) letter = first_moves ? kFirstStone : kSecondStone;
    if ((opponent_ & Bits::Bit(cell)) != 0) letter = first_moves ? kSecondStone : kFirstStone;
  }
  return BoardText(cells, {.cols = N, .row_one = RowOne::kOnTop}) + StatusLine(to_move_, status_);
}

static_assert(sizeof(Othello<8>) == 32);
static_assert(GameState<Othello<8>>);

}  // namespace az
