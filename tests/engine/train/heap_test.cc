#include "engine/train/heap.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace az {
namespace {

TEST(Heap, LargeBlocksGoBackAtOnceAlsoThoseOfThreadsThatEnded) {
  constexpr std::size_t kBlock = 64 << 20;
  TuneHeap();
  const auto mappings = mallinfo2().hblks;  // of libraries, made before
  const auto held = mallinfo2().fordblks;
  std::thread([&] {
    const std::unique_ptr<char[]> block(new char[kBlock]);
    std::memset(block.get(), 1, kBlock);
    EXPECT_EQ(mallinfo2().hblks, mappings + 1);
  }).join();
  EXPECT_EQ(mallinfo2().hblks, mappings);
  EXPECT_LT(mallinfo2().fordblks, held + kBlock / 2);
}

TEST(Heap, SmallBlocksStayForTheNextStep) {
  TuneHeap();
  std::vector<std::unique_ptr<char[]>> blocks;
  for (int i = 0; i < 80; ++i) blocks.emplace_back(new char[100 << 10]);
  const auto arena = mallinfo2().arena;
  blocks.clear();
  EXPECT_EQ(mallinfo2().arena, arena);
}

}  // namespace
}  // namespace az
