#include "engine/net/capped_heap.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "base/rng.h"

namespace az {
namespace {

constexpr std::size_t kMiB = 1 << 20;

TEST(CappedHeap, CountsWhatIsAskedForAndWhatItTakes) {
  CappedHeap heap;
  void* small = heap.Allocate(100);
  void* large = heap.Allocate(kMiB);
  HeapStats stats = heap.stats();
  EXPECT_EQ(stats.requested, Bytes(100) + MiB(1));
  EXPECT_EQ(stats.allocated, Bytes(128 + 64) + MiB(1) + KiB(4));  // headers, a line, a page
  EXPECT_EQ(stats.reserved, stats.allocated);
  EXPECT_EQ(stats.live_blocks, 2);
  CappedHeap::Free(small);
  CappedHeap::Free(large);
  stats = heap.stats();
  EXPECT_EQ(stats.requested, Bytes(0));
  EXPECT_EQ(stats.allocated, Bytes(0));
  EXPECT_EQ(stats.reserved, MiB(1) + KiB(4));  // the mapping is cached
  EXPECT_EQ(stats.requested_peak, Bytes(100) + MiB(1));
  EXPECT_EQ(heap.EmptyCache(), MiB(1) + KiB(4));
  EXPECT_EQ(heap.stats().reserved, Bytes(0));
  heap.ResetPeaks();
  EXPECT_EQ(heap.stats().reserved_peak, Bytes(0));
  EXPECT_EQ(heap.stats().allocations, 2);
}

TEST(CappedHeap, AlignsEveryBlockToACacheLine) {
  CappedHeap heap;
  std::vector<void*> blocks;
  for (std::size_t size = 1; size < 4 * CappedHeap::kMappedBytes; size = size * 3 / 2 + 1) {
    blocks.push_back(heap.Allocate(size));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back()) % CappedHeap::kAlignment, 0u);
    std::memset(blocks.back(), 0xff, size);
  }
  for (void* block : blocks) CappedHeap::Free(block);
}

TEST(CappedHeap, UsesACachedMappingThatIsAtMostAnEighthTooLarge) {
  CappedHeap heap;
  void* const first = heap.Allocate(9 * kMiB);
  CappedHeap::Free(first);
  void* const fits = heap.Allocate(8 * kMiB + 4096);
  EXPECT_EQ(fits, first);
  EXPECT_EQ(heap.stats().reserved_peak, MiB(9) + KiB(4));
  CappedHeap::Free(fits);
  // Half of it would go to waste: the old mapping goes back instead.
  void* const small = heap.Allocate(4 * kMiB);
  EXPECT_EQ(heap.stats().reserved, MiB(4) + KiB(4));
  CappedHeap::Free(small);
}

TEST(CappedHeap, KeepsItsPeakNearWhatLivesWhateverSizesCome) {
  CappedHeap heap;
  Rng rng(7);
  std::vector<void*> live;
  for (int i = 0; i < 20000; ++i) {
    if (live.size() >= 60 || (!live.empty() && rng.Below(2) == 0)) {
      std::swap(live[rng.Below(live.size())], live.back());
      CappedHeap::Free(live.back());
      live.pop_back();
    } else {
      live.push_back(heap.Allocate(CappedHeap::kMappedBytes + rng.Below(4 * kMiB)));
    }
  }
  for (void* block : live) CappedHeap::Free(block);
  const HeapStats stats = heap.stats();
  EXPECT_LE(stats.allocated_peak.count() * 8, stats.requested_peak.count() * 9);
  EXPECT_LE(stats.reserved_peak.count(), stats.allocated_peak.count() * 9 / 8 + 4 * 1048576);
  EXPECT_EQ(stats.requested, Bytes(0));
  EXPECT_EQ(stats.live_blocks, 0);
}

TEST(CappedHeap, RefusesWhatPassesTheCapAfterGivingItsCacheBack) {
  CappedHeap heap;
  heap.SetCap(MiB(10));
  void* const kept = heap.Allocate(4 * kMiB);
  CappedHeap::Free(heap.Allocate(5 * kMiB));
  EXPECT_EQ(heap.stats().retries, 0);
  void* const fits = heap.Allocate(5 * kMiB + 700 * 1024);  // not beside the cached one
  ASSERT_NE(fits, nullptr);
  EXPECT_EQ(heap.Allocate(kMiB), nullptr);
  EXPECT_EQ(heap.Allocate(std::size_t{1} << 60), nullptr);
  const HeapStats stats = heap.stats();
  EXPECT_EQ(stats.ooms, 2);
  EXPECT_GE(stats.retries, 1);
  EXPECT_LE(stats.reserved_peak, MiB(10));
  CappedHeap::Free(kept);
  CappedHeap::Free(fits);
  heap.SetCap(std::nullopt);
  void* const more = heap.Allocate(11 * kMiB);
  EXPECT_NE(more, nullptr);
  CappedHeap::Free(more);
}

TEST(CappedHeap, ACapOfNothingRefusesEvenAByte) {
  CappedHeap heap;
  heap.SetCap(Bytes(0));
  EXPECT_EQ(heap.Allocate(1), nullptr);
  EXPECT_EQ(heap.stats().reserved, Bytes(0));
}

TEST(CappedHeap, FailsTheNthAllocationFromNowAndNoOther) {
  CappedHeap heap;
  for (const std::int64_t nth : {1, 2, 5}) {
    heap.FailAt(nth);
    for (std::int64_t i = 1; i <= 6; ++i) {
      void* block = heap.Allocate(i % 2 == 0 ? 64 : 2 * CappedHeap::kMappedBytes);
      EXPECT_EQ(block == nullptr, i == nth) << nth << " " << i;
      CappedHeap::Free(block);
    }
  }
  heap.FailAt(1);
  heap.FailAt(0);
  void* block = heap.Allocate(64);
  EXPECT_NE(block, nullptr);
  CappedHeap::Free(block);
  EXPECT_EQ(heap.stats().requested, Bytes(0));
}

TEST(CappedHeap, ThreadsShareItAndTheCapHolds) {
  CappedHeap heap;
  heap.SetCap(MiB(4));
  std::atomic<std::int64_t> refused = 0;
  const auto work = [&](std::uint64_t seed) {
    Rng rng(seed);
    std::vector<std::pair<unsigned char*, std::size_t>> live;
    for (int i = 0; i < 3000; ++i) {
      if (live.size() < 8 && rng.Below(3) > 0) {
        const std::size_t size = 1 + rng.Below(rng.Below(2) == 0 ? 4096 : 2 * kMiB);
        auto* data = static_cast<unsigned char*>(heap.Allocate(size));
        if (data == nullptr) {
          ++refused;
          continue;
        }
        data[0] = data[size - 1] = static_cast<unsigned char>(seed);
        live.emplace_back(data, size);
      } else if (!live.empty()) {
        const auto [data, size] = live.back();
        EXPECT_EQ(data[0], seed);
        EXPECT_EQ(data[size - 1], seed);
        CappedHeap::Free(data);
        live.pop_back();
      }
    }
    for (const auto& [data, size] : live) CappedHeap::Free(data);
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) threads.emplace_back(work, seed);
  }
  const HeapStats stats = heap.stats();
  EXPECT_EQ(stats.requested, Bytes(0));
  EXPECT_EQ(stats.allocated, Bytes(0));
  EXPECT_LE(stats.reserved_peak, MiB(4));
  EXPECT_EQ(stats.ooms, refused.load());
  EXPECT_GT(refused.load(), 0);
}

TEST(CappedHeap, WaitsForWhatAnotherThreadIsUnmapping) {
  CappedHeap heap;
  heap.SetCap(MiB(36));
  for (int i = 0; i < 30; ++i) {
    void* large = heap.Allocate(32 * kMiB);
    ASSERT_NE(large, nullptr);
    std::memset(large, 1, 32 * kMiB);  // pages that take time to unmap
    CappedHeap::Free(large);
    std::atomic<bool> begins = false;
    const std::jthread other([&] {
      begins = true;
      heap.EmptyCache();
    });
    while (!begins) std::this_thread::yield();
    for (int spin = 0; spin < i * 200; ++spin) begins.load();  // meets it at different points
    void* fits = heap.Allocate(16 * kMiB);                     // too small for the cached one
    EXPECT_NE(fits, nullptr) << i;
    CappedHeap::Free(fits);
  }
}

TEST(CappedHeap, ABlockMayBeFreedByAnotherThread) {
  CappedHeap heap;
  void* block = heap.Allocate(kMiB);
  std::jthread([block] { CappedHeap::Free(block); }).join();
  EXPECT_EQ(heap.stats().allocated, Bytes(0));
}

TEST(CappedHeapDeathTest, EndsTheProcessWhenABlockIsFreedTwice) {
  CappedHeap heap;
  void* block = heap.Allocate(kMiB);
  CappedHeap::Free(block);
  EXPECT_DEATH(CappedHeap::Free(block), "not live");
}

}  // namespace
}  // namespace az
