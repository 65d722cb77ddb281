#pragma once
// From bit planes to the numbers a network reads, straight into its memory order:
// [row][cell][plane] (channels-last).

#include <cstddef>
#include <cstdint>

#include "games/game.h"

namespace az {

// The bits of a plane's last word that are cells.
constexpr std::uint64_t LastWordMask(int cells) {
  return cells % 64 == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << cells % 64) - 1;
}

// `one` is the bit pattern of 1 in T's format (0x3F80 for bf16, 1.0f for float); 0 is all zeros.
// `stride` >= planes is the distance from cell to cell; what lies between is set to 0.
template <class T>
struct UnpackTarget {
  T* data = nullptr;  // [rows][cells][stride]
  T one{};
  int stride = 0;
};

// Bits beyond the board are ignored: rows come from other processes, and a wrong bit must not write
// out of bounds.
template <class T>
void UnpackPlanes(const std::uint64_t* planes, int rows, const PlaneShape& shape,
                  const UnpackTarget<T>& to) {
  const auto cells = static_cast<std::size_t>(shape.cells());
  const auto words = static_cast<std::size_t>(shape.words_per_plane());
  const auto stride = static_cast<std::size_t>(to.stride);
  const auto count = static_cast<std::size_t>(shape.planes);
  T* out = to.data;
  for (int row = 0; row < rows; ++row, planes += words * count, out += cells * stride) {
    for (std::size_t i = 0; i < cells * stride; ++i) out[i] = T{};
    for (std::size_t plane = 0; plane < count; ++plane) {
      for (std::size_t word = 0; word < words; ++word) {
        const std::uint64_t on_board =
            word + 1 == words ? LastWordMask(shape.cells()) : ~std::uint64_t{0};
        for (std::uint64_t bits = planes[plane * words + word] & on_board; bits != 0;
             bits &= bits - 1) {
          const auto cell = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
          out[cell * stride + plane] = to.one;
        }
      }
    }
  }
}

}  // namespace az
