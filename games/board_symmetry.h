#pragma once
// The symmetries of a rectangular board whose rules are the same in every direction: a square has
// eight, any other rectangle four. Used by games for MapCell and MapAction.

#include <utility>

namespace az {

// Bits of a symmetry, applied in this order: 4 exchanges rows and columns (squares only), 2 mirrors
// the rows, 1 mirrors the columns. Cell = row * kCols + col.
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
