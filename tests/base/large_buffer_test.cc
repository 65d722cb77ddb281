#include "base/large_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace az {
namespace {

bool IsZero(const LargeBuffer& buffer) {
  return std::all_of(buffer.data(), buffer.data() + buffer.size(),
                     [](std::byte byte) { return byte == std::byte{0}; });
}

TEST(LargeBuffer, IsZeroedAndAligned) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{4097}, (std::size_t{5} << 20) + 64}) {
    const LargeBuffer buffer(size);
    EXPECT_EQ(buffer.size(), size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u);
    EXPECT_TRUE(IsZero(buffer));
  }
}

TEST(LargeBuffer, LargeOnesBeginAtAHugePage) {
  const LargeBuffer buffer(std::size_t{4} << 20);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % (std::size_t{2} << 20), 0u);
}

TEST(LargeBuffer, MovesItsMemory) {
  LargeBuffer from(100);
  from.data()[99] = std::byte{7};
  std::byte* const data = from.data();
  const LargeBuffer to(std::move(from));
  EXPECT_EQ(to.data(), data);
  EXPECT_EQ(to.data()[99], std::byte{7});
}

}  // namespace
}  // namespace az
