#include "engine/net/byte_trace.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(ByteTrace, CountsFromItsStartAndAgainFromARestart) {
  CappedHeap heap;
  void* before = heap.Allocate(1 << 20);
  ByteTrace trace(heap);
  void* kept = heap.Allocate(100 << 10);
  CappedHeap::Free(heap.Allocate(200 << 10));
  EXPECT_EQ(trace.live(), KiB(100));
  EXPECT_EQ(trace.peak(), KiB(300));
  EXPECT_EQ(trace.allocations(), 2);
  EXPECT_GE(trace.reserved_peak(), trace.peak());
  trace.Restart();
  EXPECT_EQ(trace.live(), Bytes(0));
  EXPECT_EQ(trace.peak(), Bytes(0));
  CappedHeap::Free(kept);
  CappedHeap::Free(before);
}

}  // namespace
}  // namespace az
