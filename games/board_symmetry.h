#pragma once
// The symmetries of a rectangular board whose rules are the same in every direction: eight of a
// square, four of any other rectangle. Used by games for MapCell and MapAction.

#include <utility>

namespace az {

// Symmetry bits: 4 rows and columns exchanged (squares only), then 2 rows mirrored, 1 columns
// mirrored. Cell = row * kCols + col.
template <int kRows, int kCols>
struct BoardSymmetry {
  static constexpr int kCount = kRows == kCols ? 8 : 4;

  static constexpr int Map(int cell, int symmetry) {
    int row = cell / kCols;
    int col = cell % kCols;
    if ((symmetry & 4) != 0) std::swap(row, col);
    if ((symmetry & 2) != 0) row = kRows - 1 - row;
    if ((symmetry & 1) != 0) col = kCols - 1 - col;
    return row * kCols + col;
  }
};

}  // namespace az
