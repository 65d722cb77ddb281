#include <cstddef>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "games/hex/hex_bits.h"

namespace az::hex_internal {

std::string SlantedBoardText(std::string_view cells, int size) {
  std::string text = "  ";
  for (int col = 0; col < size; ++col) text += StrCat(' ', static_cast<char>('a' + col));
  text += '\n';
  for (int row = 0; row < size; ++row) {
    const std::string number = StrCat(row + 1);
    text += std::string(static_cast<std::size_t>(row) + 2 - number.size(), ' ') + number;
    for (int col = 0; col < size; ++col) {
      text += StrCat(' ', cells[static_cast<std::size_t>(row * size + col)]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace az::hex_internal
