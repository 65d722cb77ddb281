#include "base/crc32c.h"

#include <array>
#include <cstring>

namespace az {
namespace {

using Table = std::array<std::array<std::uint32_t, 256>, 8>;

// Slicing by eight: table k advances a byte k positions before the end of an 8-byte group.
constexpr Table MakeTable() {
  Table table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
    table[0][i] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t previous = table[k - 1][i];
      table[k][i] = (previous >> 8) ^ table[0][previous & 0xFF];
    }
  }
  return table;
}
constexpr Table kTable = MakeTable();

}  // namespace

std::uint32_t Crc32cExtend(std::uint32_t crc, std::span<const std::byte> bytes) {
  crc = ~crc;
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    word ^= crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= kTable[7 - k][(word >> (8 * k)) & 0xFF];
    bytes = bytes.subspan(8);
  }
  for (const std::byte b : bytes) {
    crc = (crc >> 8) ^ kTable[0][(crc ^ static_cast<std::uint32_t>(b)) & 0xFF];
  }
  return ~crc;
}

}  // namespace az
