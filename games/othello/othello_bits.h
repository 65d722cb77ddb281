#pragma once
// Bitboards of Othello: where a side can place, and what a disc turns over. Cell = row * N + col,
// row 0 on top. Used by Othello<N> only.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "games/fixed_name.h"

namespace az {

namespace othello_internal {

template <int N>
inline constexpr FixedName kName = FixedName("othello").Then(N);

// The cells from one cell to the edge, one set per direction. In the first four directions the cell
// numbers rise (right, down left, down, down right), in the last four they fall.
using Rays = std::array<std::uint64_t, 8>;
template <int N>
constexpr std::array<Rays, static_cast<std::size_t>(N* N)> MakeRays() {
  constexpr std::array<std::array<int, 2>, 8> kDirections = {
      {{0, 1}, {1, -1}, {1, 0}, {1, 1}, {0, -1}, {-1, 1}, {-1, 0}, {-1, -1}}};
  std::array<Rays, static_cast<std::size_t>(N * N)> table{};
  for (int cell = 0; cell < N * N; ++cell) {
    for (std::size_t d = 0; d < kDirections.size(); ++d) {
      const auto [down, right] = kDirections[d];
      int row = cell / N + down;
      int col = cell % N + right;
      for (; row >= 0 && row < N && col >= 0 && col < N; row += down, col += right) {
        table[static_cast<std::size_t>(cell)][d] |= std::uint64_t{1} << (row * N + col);
      }
    }
  }
  return table;
}
template <int N>
inline constexpr auto kRays = MakeRays<N>();

}  // namespace othello_internal

template <int N>
struct OthelloBits {
  static_assert(N >= 4 && N <= 8 && N % 2 == 0);
  static constexpr std::uint64_t Bit(int cell) { return std::uint64_t{1} << cell; }

  static constexpr std::uint64_t kFull = ~std::uint64_t{0} >> (64 - N * N);
  static constexpr int kCentre = (N / 2 - 1) * N + N / 2 - 1;  // d4 on 8 x 8
  static constexpr std::uint64_t kFirstDiscs = Bit(kCentre + 1) | Bit(kCentre + N);
  static constexpr std::uint64_t kSecondDiscs = Bit(kCentre) | Bit(kCentre + N + 1);

  static constexpr std::uint64_t MakeInnerColumns() {
    std::uint64_t cells = 0;
    for (int cell = 0; cell < N * N; ++cell) {
      if (cell % N != 0 && cell % N != N - 1) cells |= Bit(cell);
    }
    return cells;
  }
  static constexpr std::uint64_t kInnerColumns = MakeInnerColumns();

  // The empty cells where `own` can place. The four lines through a cell are four lanes of the same
  // steps, which the compiler turns into vector instructions. Along a line, own discs are shifted
  // over 1, 2, 4, then 6 of the opponent's, which is all that fits between two discs of a row.
  static constexpr std::uint64_t Placements(std::uint64_t own, std::uint64_t opponent) {
    constexpr std::array<int, 4> kSteps = {1, N - 1, N, N + 1};
    // A disc in an outer column is at the end of every line but a column's.
    const std::uint64_t inner = opponent & kInnerColumns;
    const std::array<std::uint64_t, 4> between = {inner, inner, opponent, inner};
    std::array<std::uint64_t, 4> reached{};
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const int step = kSteps[lane];
      const std::uint64_t line = between[lane];
      std::uint64_t up = line & own << step;
      std::uint64_t down = line & own >> step;
      up |= line & up << step;
      down |= line & down >> step;
      const std::uint64_t two_up = line & line << step;
      const std::uint64_t two_down = line & line >> step;
      up |= two_up & up << 2 * step;
      down |= two_down & down >> 2 * step;
      up |= two_up & up << 2 * step;
      down |= two_down & down >> 2 * step;
      reached[lane] = up << step | down >> step;
    }
    return (reached[0] | reached[1] | reached[2] | reached[3]) & kFull & ~(own | opponent);
  }

  // The opponent's discs that an own disc on `cell` turns over.
  static std::uint64_t Turned(std::uint64_t own, std::uint64_t opponent, int cell) {
    const othello_internal::Rays& rays = othello_internal::kRays<N>[static_cast<std::size_t>(cell)];
    std::uint64_t turned = 0;
    for (std::size_t d = 0; d < 4; ++d) {
      // With all cells off the ray set, adding one carries over the opponent's discs to the first
      // cell of the ray that is not the opponent's.
      const std::uint64_t end = ((opponent | ~rays[d]) + 1) & rays[d] & own;
      turned |= rays[d] & (end - (end != 0 ? 1 : 0));
    }
    for (std::size_t d = 4; d < 8; ++d) {
      const std::uint64_t end = std::bit_floor(rays[d] & ~opponent) & own;
      turned |= rays[d] & (0 - 2 * end);
    }
    return turned;
  }
};

}  // namespace az
