#pragma once
// The contract between a game and the rest of the engine. A state is a small value: copied instead
// of undone, compared with ==, kept in arrays; no heap, no pointers, no globals.

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace az {

// Index into the policy head, [0, S::kNumActions), in the view of the side to move. A number never
// changes its meaning.
enum class Action : std::uint16_t {};
constexpr int Index(Action a) { return static_cast<int>(a); }

enum class Player : std::uint8_t { kFirst, kSecond };
constexpr Player Opponent(Player p) {
  return p == Player::kFirst ? Player::kSecond : Player::kFirst;
}

// How a game ended, always in the FIRST player's view.
enum class Outcome : std::int8_t { kSecondWins = -1, kDraw = 0, kFirstWins = +1 };

// The outcome of a game that `loser` has lost.
constexpr Outcome LossOf(Player loser) {
  return loser == Player::kFirst ? Outcome::kSecondWins : Outcome::kFirstWins;
}

// The outcome for `player`: +1 won, 0 drawn, -1 lost.
constexpr int ValueFor(Outcome outcome, Player player) {
  const int value = static_cast<int>(outcome);
  return player == Player::kFirst ? value : -value;
}

// Bit planes: a plane is n = words_per_plane() words; cell (row, col) is bit i = row * cols + col,
// word i / 64, bit i % 64 from the least significant; bits from cells() up are zero. Plane p is
// words [p * n, (p + 1) * n). Plane 0 holds the stones of the side to move, plane 1 the opponent's;
// planes that only this game has follow.
struct PlaneShape {
  int planes = 0;
  int rows = 0;
  int cols = 0;
  constexpr int cells() const { return rows * cols; }
  constexpr int words_per_plane() const { return (cells() + 63) / 64; }
  constexpr int words() const { return planes * words_per_plane(); }
  friend constexpr bool operator==(const PlaneShape&, const PlaneShape&) = default;
};

// What every game offers (games/ADDING_A_GAME.md shows one). Apply requires a legal action and
// never allocates or throws. LegalActions is an ActionSet (games/action_set.h), empty if and only
// if the game is over. ToMove is defined after the end of the game too and need not alternate.
// Encode writes every word of kShape.words() and depends on the state alone. Equal states have
// equal hashes; states that differ in Encode or in their legal actions have different ones, except
// for 64-bit collisions. Symmetries are numbered from 0 (the identity) to kNumSymmetries - 1 and
// form a group; MapAction maps actions, MapCell maps bits of a plane.
template <class S>
concept GameState = std::regular<S> && std::is_trivially_copyable_v<S> &&
    requires(const S& s, S& m, Action a, int symmetry, int cell, std::span<std::uint64_t> bits) {
  { S::kName } -> std::convertible_to<std::string_view>;  // registry entry: "hex5"
  { S::kNumActions } -> std::convertible_to<int>;
  { S::kMaxPlies } -> std::convertible_to<int>;
  { S::kNumSymmetries } -> std::convertible_to<int>;
  { S::kShape } -> std::convertible_to<PlaneShape>;
  { s.ToMove() } -> std::same_as<Player>;
  { s.LegalActions().Count() } -> std::same_as<int>;
  { s.LegalActions().Contains(a) } -> std::same_as<bool>;
  { m.Apply(a) } -> std::same_as<void>;
  { s.Result() } -> std::same_as<std::optional<Outcome>>;
  { s.Hash() } -> std::same_as<std::uint64_t>;
  { s.Encode(bits) } -> std::same_as<void>;
  { S::MapAction(a, symmetry) } -> std::same_as<Action>;
  { S::MapCell(cell, symmetry) } -> std::same_as<int>;
  { s.MoveText(a) } -> std::same_as<std::string>;  // as a person writes it, in board coordinates
  { s.ToString() } -> std::same_as<std::string>;  // the board with coordinates and the side to move
};

}  // namespace az
