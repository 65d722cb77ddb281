#pragma once
// Sets of cells of an N x N board in one machine word, cell = row * N + col: the part that the
// bitboards of Go and Hex share.

#include <cstdint>
#include <type_traits>

namespace az {

template <int N>
struct SquareBits {
  static_assert(N >= 1 && N <= 11, "a board fits 128 bits");
  static constexpr int kCells = N * N;
  using Word =
      std::conditional_t<kCells <= 32, std::uint32_t,
                         std::conditional_t<kCells <= 64, std::uint64_t, unsigned __int128>>;

  static constexpr Word Bit(int cell) { return static_cast<Word>(Word{1} << cell); }
  static constexpr Word Column(int col) {
    Word column = 0;
    for (int row = 0; row < N; ++row) column |= Bit(row * N + col);
    return column;
  }
  static constexpr Word kFull = static_cast<Word>(~Word{0}) >> (8 * sizeof(Word) - kCells);
  static constexpr Word kNotFirstColumn = kFull & ~Column(0);
  static constexpr Word kNotLastColumn = kFull & ~Column(N - 1);
};

}  // namespace az
