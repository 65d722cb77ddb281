#pragma once
// Bitboards of a square Go board, a1 = 0: neighbours, chains, capture. Used by Go<N> only.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "games/square_bits.h"

namespace az {

template <int N>
struct GoBits : SquareBits<N> {
  static_assert(N >= 2);
  using Square = SquareBits<N>;
  using Square::Bit, Square::kCells, Square::kFull, Square::kNotFirstColumn, Square::kNotLastColumn;
  using typename Square::Word;

  static constexpr int Count(Word set) {
    if constexpr (sizeof(Word) > 8) {
      return std::popcount(static_cast<std::uint64_t>(set)) +
             std::popcount(static_cast<std::uint64_t>(set >> 64));
    } else {
      return std::popcount(set);
    }
  }
  // Calls f(cell) for every cell of the set, in rising order.
  template <class F>
  static constexpr void ForEach(Word set, F&& f) {
    if constexpr (sizeof(Word) > 8) {
      for (auto low = static_cast<std::uint64_t>(set); low != 0; low &= low - 1) {
        f(std::countr_zero(low));
      }
      for (auto high = static_cast<std::uint64_t>(set >> 64); high != 0; high &= high - 1) {
        f(64 + std::countr_zero(high));
      }
    } else {
      for (; set != 0; set &= set - 1) f(std::countr_zero(set));
    }
  }

  // All cells next to a cell of `set`; may hold cells of `set` and bits from kCells up.
  static constexpr Word Around(Word set) {
    return static_cast<Word>(set << N | set >> N | (set & kNotLastColumn) << 1 |
                             (set & kNotFirstColumn) >> 1);
  }
  // The cells with two or more neighbours in `set`; may hold bits from kCells up.
  static constexpr Word TwiceAround(Word set) {
    const Word above = static_cast<Word>(set << N);
    const Word below = static_cast<Word>(set >> N);
    const Word right = static_cast<Word>((set & kNotLastColumn) << 1);
    const Word left = static_cast<Word>((set & kNotFirstColumn) >> 1);
    return (above & below) | (right & left) | ((above | below) & (right | left));
  }
  // The cells of `within` that a walk from `seed` through `within` reaches. REQUIRES: seed lies in
  // `within`.
  static constexpr Word Flood(Word seed, Word within) {
    for (Word reached = seed;;) {
      const Word grown = reached | (Around(reached) & within);
      if (grown == reached) return reached;
      reached = grown;
    }
  }
  // The chain of `stones` that `seed` belongs to, or nothing when it has a liberty in `empty`.
  static constexpr Word DeadChain(Word seed, Word stones, Word empty) {
    for (Word chain = seed;;) {
      const Word around = Around(chain);
      if ((around & empty) != 0) return 0;
      const Word grown = chain | (around & stones);
      if (grown == chain) return chain;
      chain = grown;
    }
  }

  static constexpr std::array<Word, kCells> MakeNeighbours() {
    std::array<Word, kCells> table{};
    for (int cell = 0; cell < kCells; ++cell) {
      table[static_cast<std::size_t>(cell)] = Around(Bit(cell)) & kFull;
    }
    return table;
  }
  // A random number for each colour on each cell: a position's key is the exclusive or of those of
  // its stones.
  using Keys = std::array<std::array<std::uint64_t, kCells>, 2>;
  static constexpr Keys MakeKeys() {
    Keys keys{};
    std::uint64_t counter = 0x676FU << 16 | N << 8;
    for (auto& of_player : keys) {
      for (std::uint64_t& key : of_player) key = Mix64(++counter * 0x9E3779B97F4A7C15U);
    }
    return keys;
  }
};

namespace go_internal {

template <int N>
inline constexpr auto kNeighbours = GoBits<N>::MakeNeighbours();
template <int N>
inline constexpr auto kKeys = GoBits<N>::MakeKeys();

inline constexpr std::array<std::string_view, 12> kNames = {
    "go0", "go1", "go2", "go3", "go4", "go5", "go6", "go7", "go8", "go9", "go10", "go11"};

// "a1", "j9" or "pass"; the columns skip the letter i, as GTP does.
std::string PointText(int cell, int size);
// Prints the size * size letters of `cells` with coordinates, row 1 at the bottom.
std::string BoardText(std::string_view cells, int size);

}  // namespace go_internal
}  // namespace az
