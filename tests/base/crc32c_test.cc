#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace az {
namespace {

std::span<const std::byte> BytesOf(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(Crc32c, AgreesWithPublishedValues) {
  EXPECT_EQ(Crc32c(BytesOf("123456789")), 0xE3069283u);
  EXPECT_EQ(Crc32c(BytesOf("")), 0u);
  // RFC 3720, B.4: 32 bytes of zeros, of ones, and rising.
  EXPECT_EQ(Crc32c(BytesOf(std::string(32, '\0'))), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(BytesOf(std::string(32, '\xFF'))), 0x62A8AB43u);
  std::string rising;
  for (char c = 0; c < 32; ++c) rising.push_back(c);
  EXPECT_EQ(Crc32c(BytesOf(rising)), 0x46DD794Eu);
}

TEST(Crc32c, ExtendsOverAnyCut) {
  const std::string text = "the quick brown fox jumps over the lazy dog";
  const std::uint32_t whole = Crc32c(BytesOf(text));
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const std::string_view view = text;
    EXPECT_EQ(Crc32cExtend(Crc32c(BytesOf(view.substr(0, cut))), BytesOf(view.substr(cut))), whole);
  }
}

TEST(Crc32c, SeesEveryFlippedBit) {
  std::string text = "journal record";
  const std::uint32_t good = Crc32c(BytesOf(text));
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(Crc32c(BytesOf(text)), good) << bit;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
  }
}

}  // namespace
}  // namespace az
