#pragma once
// Go on N x N points. A play without liberties takes the opponent's chains that have none left;
// suicide is illegal, and so is a play that makes any earlier whole-board position again
// (positional superko); a pass never is. Two passes in a row or ply 2 * N * N end the game. Area
// scoring as the board stands (Tromp-Taylor): stones, dead or alive, and empty regions that touch
// one colour only; the second player gets komi, by default 0.5 up to 6x6 and 7.5 from 7x7.
//
//   5  20 21 22 23 24        action = point = row * N + col, a1 = 0; pass = N * N
//   4  15 16 17 18 19        planes: own, opponent's, empty points the mover may not play,
//   3  10 11 12 13 14                all: the opponent has just passed, all: second to move
//   2   5  6  7  8  9
//   1   0  1  2  3  4        kMaxPlies = 2 * N * N by the rule above: superko alone would end a
//       a  b  c  d  e        game only after astronomically many plies.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/hash.h"
#include "base/result.h"
#include "games/action_set.h"
#include "games/board_text.h"
#include "games/game.h"
#include "games/game_status.h"
#include "games/go/go_bits.h"

namespace az {

// The second player's compensation, in half points: 15 is 7.5. Whole points allow a draw.
struct GoKomi {
  std::int16_t half_points = 0;
  friend constexpr bool operator==(GoKomi, GoKomi) = default;
};

// Thread-compatible.
template <int N>
class Go {
  using Bits = GoBits<N>;
  using Word = typename Bits::Word;

 public:
  static constexpr std::string_view kName = go_internal::kNames[N];
  static constexpr std::string_view kFamily = "go";
  static constexpr int kBoardSize = N;
  static constexpr int kNumActions = N * N + 1;
  static constexpr int kMaxPlies = 2 * N * N;
  static constexpr int kNumSymmetries = 8;  // bit 2: transpose first; bits 0-1: quarter turns after
  static constexpr PlaneShape kShape{.planes = 5, .rows = N, .cols = N};
  static constexpr Action kPass = static_cast<Action>(N * N);
  static constexpr GoKomi kDefaultKomi{N <= 6 ? 1 : 15};

  Go() : Go(kDefaultKomi) {}
  explicit Go(GoKomi komi) : komi_(komi) {}
  // The start with a komi of so many points. Fails with kInvalid unless `points` is a multiple of
  // one half and no more than the board holds.
  static az::Result<Go> WithKomi(double points);

  Player ToMove() const { return to_move_; }
  std::optional<Outcome> Result() const { return status_.Result(); }
  ActionSet<kNumActions> LegalActions() const;
  // REQUIRES: LegalActions().Contains(a).
  void Apply(Action a);
  // The first player's points minus the second's as the board stands, without komi.
  int AreaMargin() const;

  std::uint64_t Hash() const;
  void Encode(std::span<std::uint64_t> bits) const;
  static Action MapAction(Action a, int symmetry) {
    return a == kPass ? a : static_cast<Action>(MapCell(Index(a), symmetry));
  }
  static int MapCell(int cell, int symmetry);
  std::string MoveText(Action a) const;
  std::string ToString() const;
  friend bool operator==(const Go&, const Go&) = default;

 private:
  static constexpr int kPlaneWords = kShape.words_per_plane();
  static constexpr std::size_t kMarkWords = N <= 5 ? 4 : N <= 7 ? 8 : 16;

  static void Store(Word set, std::span<std::uint64_t> words);
  static std::uint64_t Key(Player player, int cell) {
    return go_internal::kKeys<N>[static_cast<std::size_t>(player)][static_cast<std::size_t>(cell)];
  }
  static std::uint64_t KeysOf(Player player, Word stones);
  static Word Captures(int cell, Word victims, Word empty);
  Word Stones(Player player) const { return stones_[static_cast<std::size_t>(player)]; }
  Word Empty() const { return Bits::kFull & ~(stones_[0] | stones_[1]); }
  Word Frail(Player player) const;
  bool IsSuicide(int cell, Word frail) const;
  Word Playable() const;
  static std::size_t MarkWord(std::uint64_t position) { return position % kMarkWords; }
  static std::uint64_t MarkBit(std::uint64_t position) {
    return std::uint64_t{1} << (position >> 58);
  }
  bool HasBeen(std::uint64_t position) const;
  Word Repetitions() const;
  void Place(int cell);
  void Finish();

  std::array<Word, 2> stones_{};  // indexed by player
  // Points where a player has had a stone captured. Only a play on such a point can repeat an
  // earlier position: that position had the stone there, and now the point is empty.
  std::array<Word, 2> lost_{};
  Word banned_ = 0;             // empty points where the mover's play would repeat a position
  std::uint64_t position_ = 0;  // key of the stones
  // The 64-bit keys of the positions after each play; zero from plays_ up.
  std::array<std::uint64_t, kMaxPlies> history_{};
  std::array<std::uint64_t, kMarkWords> marks_{};  // a bit for each key: most look-ups end here
  std::uint16_t ply_ = 0;
  std::uint16_t plays_ = 0;  // plies that were not passes
  GoKomi komi_;
  Player to_move_ = Player::kFirst;
  bool passed_ = false;  // the last ply was a pass
  GameStatus status_;
};

}  // namespace az

#include "games/go/go_inl.h"

namespace az {

static_assert(sizeof(Go<5>) == 480 && sizeof(Go<9>) == 1536);
static_assert(GameState<Go<5>>);

}  // namespace az
