#pragma once
// Hex on N x N cells. The first player joins top (row 0) and bottom, the second left and right; a
// full board has exactly one winner, so there are no draws. Text: column letter (with i) and row
// number, a1 in the top left corner. Cells and neighbours: games/hex/hex_bits.h.
//
// View: the board is transposed for the second player, so that the side to move always joins top
// and bottom: the second player's action and plane bit for cell (row, col) are those of (col, row).
//
// With swap, the second player may answer the first stone by taking it over (action N * N, text
// "swap"): the stone on (row, col) becomes the second player's on (col, row), and the first player
// moves. Both views stay as they were and change hands. Plane 2 is set while the swap is on offer.
//
// kMaxPlies = N * N, one more with swap: every ply fills a cell, but for the swap.

#include <array>
#include <bit>
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
#include "games/game.h"
#include "games/game_status.h"
#include "games/hex/hex_bits.h"

namespace az {

enum class HexSwap : std::uint8_t { kNo, kYes };

// Thread-compatible.
template <int N, HexSwap kSwapRule = HexSwap::kNo>
class Hex {
  using Bits = HexBits<N>;
  using Word = typename Bits::Word;
  static constexpr bool kMaySwap = kSwapRule == HexSwap::kYes;

 public:
  static constexpr std::string_view kName = hex_internal::kName<N, kMaySwap>.view();
  static constexpr std::string_view kFamily = kMaySwap ? "hex_swap" : "hex";
  static constexpr int kBoardSize = N;
  static constexpr int kNumActions = N * N + (kMaySwap ? 1 : 0);
  static constexpr int kMaxPlies = N * N + (kMaySwap ? 1 : 0);
  static constexpr int kNumSymmetries = 2;  // symmetry 1 is half a turn
  static constexpr PlaneShape kShape{.planes = kMaySwap ? 3 : 2, .rows = N, .cols = N};
  static constexpr Action kSwap{N * N};  // with swap only

  Player ToMove() const { return to_move_; }
  std::optional<Outcome> Result() const { return status_.Result(); }
  ActionSet<kNumActions> LegalActions() const;
  // REQUIRES: LegalActions().Contains(a).
  void Apply(Action a);

  std::uint64_t Hash() const;
  void Encode(std::span<std::uint64_t> bits) const;
  static Action MapAction(Action a, int symmetry) {
    return a == kSwap ? a : static_cast<Action>(MapCell(Index(a), symmetry));
  }
  static int MapCell(int cell, int symmetry) { return symmetry == 0 ? cell : N * N - 1 - cell; }
  std::string MoveText(Action a) const;
  std::string ToString() const;
  friend bool operator==(const Hex&, const Hex&) = default;

 private:
  // The board as one player sees it. Both views are kept, so that nothing is transposed at a leaf.
  struct View {
    Word own = 0;
    Word opponent = 0;
    Word from_top = 0;  // own stones joined to row 0
    friend bool operator==(const View&, const View&) = default;
  };
  static constexpr int kPlaneWords = kShape.words_per_plane();

  static void Store(Word set, std::span<std::uint64_t> words);
  // The second player has no stone only before its first move.
  bool SwapIsOnOffer() const { return to_move_ == Player::kSecond && ViewOf(to_move_).own == 0; }
  View& ViewOf(Player player) { return views_[static_cast<std::size_t>(player)]; }
  const View& ViewOf(Player player) const { return views_[static_cast<std::size_t>(player)]; }

  std::array<View, 2> views_;
  Player to_move_ = Player::kFirst;
  GameStatus status_;
};

template <int N, HexSwap kSwapRule>
void Hex<N, kSwapRule>::Store(Word set, std::span<std::uint64_t> words) {
  words[0] = static_cast<std::uint64_t>(set);
  if constexpr (kPlaneWords == 2) words[1] = static_cast<std::uint64_t>(set >> 64);
}

template <int N, HexSwap kSwapRule>
ActionSet<Hex<N, kSwapRule>::kNumActions> Hex<N, kSwapRule>::LegalActions() const {
  ActionSet<kNumActions> legal;
  if (status_.over()) return legal;
  const View& view = ViewOf(to_move_);
  Store(Bits::kFull & ~(view.own | view.opponent), legal.words());
  if constexpr (kMaySwap) {
    if (SwapIsOnOffer()) legal.Add(kSwap);
  }
  return legal;
}

template <int N, HexSwap kSwapRule>
void Hex<N, kSwapRule>::Apply(Action a) {
  AZ_DCHECK(LegalActions().Contains(a));
  if constexpr (kMaySwap) {
    if (a == kSwap) {
      std::swap(views_[0], views_[1]);
      to_move_ = Opponent(to_move_);
      return;
    }
  }
  const auto cell = static_cast<std::size_t>(Index(a));
  const Word stone = Bits::Bit(Index(a));
  View& view = ViewOf(to_move_);
  view.own |= stone;
  ViewOf(Opponent(to_move_)).opponent |= hex_internal::kTransposedBits<N>[cell];
  if (((stone & Bits::Row(0)) | (hex_internal::kNeighbours<N>[cell] & view.from_top)) != 0) {
    // The stone is joined to the top, and so is every stone it touches: each step adds one layer.
    Word rest = view.own & ~view.from_top;
    for (Word layer = stone; layer != 0; layer = Bits::Around(layer) & rest) rest &= ~layer;
    view.from_top = view.own & ~rest;
    if ((view.from_top & Bits::Row(N - 1)) != 0) status_ = GameStatus::WonBy(to_move_);
  }
  to_move_ = Opponent(to_move_);
}

template <int N, HexSwap kSwapRule>
std::uint64_t Hex<N, kSwapRule>::Hash() const {
  // The planes tell everything but who is to move: without swap the counts of stones say it. With
  // swap, a1 b1 and a1 swap c1 leave one stone each with different players to move; the planes and
  // this hash are in the mover's view alone.
  std::array<std::uint64_t, kShape.words()> planes;
  Encode(planes);
  std::uint64_t hash = 0x686578U + N + (kMaySwap ? 0x100 : 0);
  for (const std::uint64_t word : planes) hash = HashCombine(hash, word);
  return hash;
}

template <int N, HexSwap kSwapRule>
void Hex<N, kSwapRule>::Encode(std::span<std::uint64_t> bits) const {
  const View& view = ViewOf(to_move_);
  Store(view.own, bits.first(kPlaneWords));
  Store(view.opponent, bits.subspan(kPlaneWords, kPlaneWords));
  if constexpr (kMaySwap) {
    Store(SwapIsOnOffer() ? Bits::kFull : 0, bits.subspan(2 * kPlaneWords, kPlaneWords));
  }
}

template <int N, HexSwap kSwapRule>
std::string Hex<N, kSwapRule>::MoveText(Action a) const {
  if (a == kSwap) return "swap";
  const int cell = to_move_ == Player::kFirst ? Index(a) : Bits::Transposed(Index(a));
  return CellText({.row = cell / N, .col = cell % N});
}

template <int N, HexSwap kSwapRule>
std::string Hex<N, kSwapRule>::ToString() const {
  std::string cells(N * N, kEmptyCell);
  const View& board = ViewOf(Player::kFirst);
  for (int cell = 0; cell < N * N; ++cell) {
    const auto at = static_cast<std::size_t>(cell);
    if ((board.own & Bits::Bit(cell)) != 0) cells[at] = kFirstStone;
    if ((board.opponent & Bits::Bit(cell)) != 0) cells[at] = kSecondStone;
  }
  return hex_internal::SlantedBoardText(cells, N) + StatusLine(to_move_, status_);
}

static_assert(sizeof(Hex<5>) == 28 && sizeof(Hex<11>) == 112);
static_assert(GameState<Hex<5>> && GameState<Hex<5, HexSwap::kYes>>);

}  // namespace az
