#include "engine/train/heap.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstring>
#include <memory>

namespace az {
namespace {

TEST(Heap, KeepsWhatWasFreedUntilItIsTrimmed) {
  constexpr std::size_t kBlock = 64 << 20;
  KeepFreedMemory();
  const auto mappings = mallinfo2().hblks;  // of libraries, made before
  {
    const std::unique_ptr<char[]> block(new char[kBlock]);
    std::memset(block.get(), 1, kBlock);
    EXPECT_EQ(mallinfo2().hblks,
              mappings);  // not a mapping of its own, which would be gone at once
  }
  EXPECT_GE(mallinfo2().fordblks, kBlock);
  malloc_trim(0);
  EXPECT_LT(mallinfo2().keepcost, kBlock);
}

}  // namespace
}  // namespace az
