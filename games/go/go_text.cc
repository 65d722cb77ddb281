#include <cstddef>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "games/go/go_bits.h"

namespace az::go_internal {
namespace {

char ColumnLetter(int col) { return static_cast<char>('a' + col + (col >= 'i' - 'a' ? 1 : 0)); }

}  // namespace

std::string PointText(int cell, int size) {
  return StrCat(ColumnLetter(cell % size), cell / size + 1);
}

std::string BoardText(std::string_view cells, int size) {
  const std::size_t width = StrCat(size).size();
  std::string text;
  for (int row = size - 1; row >= 0; --row) {
    const std::string number = StrCat(row + 1);
    text += std::string(width - number.size(), ' ') + number;
    for (int col = 0; col < size; ++col) {
      text += StrCat(' ', cells[static_cast<std::size_t>(row * size + col)]);
    }
    text += '\n';
  }
  text += std::string(width, ' ');
  for (int col = 0; col < size; ++col) text += StrCat(' ', ColumnLetter(col));
  return text + '\n';
}

}  // namespace az::go_internal
