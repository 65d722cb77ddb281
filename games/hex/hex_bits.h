#pragma once
// Bitboards of a rhombus of N x N hexagons, cell = row * N + col, and who neighbours whom. Used by
// Hex<N> only.
//
//   0   1   2         (r, c) touches (r, c-1), (r, c+1), (r-1, c), (r+1, c), (r-1, c+1) and
//     3   4   5       (r+1, c-1): on 3x3 the cells 2-4-6 join, 0-4-8 do not.
//       6   7   8
//

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "games/fixed_name.h"
#include "games/square_bits.h"

namespace az {

template <int N>
struct HexBits : SquareBits<N> {
  static_assert(N >= 3, "hex3 ... hex11");
  using Square = SquareBits<N>;
  using Square::Bit, Square::kCells, Square::kFull, Square::kNotFirstColumn, Square::kNotLastColumn;
  using typename Square::Word;

  static constexpr Word Row(int row) { return static_cast<Word>((Bit(N) - 1) << (row * N)); }

  // All cells next to a cell of `set`; may hold cells of `set` and bits from kCells up.
  static constexpr Word Around(Word set) {
    const Word not_first = set & kNotFirstColumn;
    const Word not_last = set & kNotLastColumn;
    return static_cast<Word>(set << N | set >> N | not_last << 1 | not_first >> 1 |
                             not_first << (N - 1) | not_last >> (N - 1));
  }

  // The same cell with rows and columns exchanged.
  static constexpr int Transposed(int cell) { return cell % N * N + cell / N; }

  // The neighbours of each cell, and the cell's place on the transposed board.
  static constexpr std::array<Word, kCells> MakeNeighbours() {
    std::array<Word, kCells> table{};
    for (int cell = 0; cell < kCells; ++cell) {
      table[static_cast<std::size_t>(cell)] = Around(Bit(cell)) & kFull;
    }
    return table;
  }
  static constexpr std::array<Word, kCells> MakeTransposedBits() {
    std::array<Word, kCells> table{};
    for (int cell = 0; cell < kCells; ++cell) {
      table[static_cast<std::size_t>(cell)] = Bit(Transposed(cell));
    }
    return table;
  }
};

namespace hex_internal {

template <int N>
inline constexpr auto kNeighbours = HexBits<N>::MakeNeighbours();
template <int N>
inline constexpr auto kTransposedBits = HexBits<N>::MakeTransposedBits();

template <int N, bool kMaySwap>
inline constexpr FixedName kName = FixedName("hex").Then(N).Then(kMaySwap ? "_swap" : "");

// Prints the size * size letters of `cells`, each row half a cell further right, with coordinates.
std::string SlantedBoardText(std::string_view cells, int size);

}  // namespace hex_internal
}  // namespace az
