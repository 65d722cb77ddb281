#pragma once
// ByteTrace: what a piece of work takes of the memory that networks run in, by the allocator's own
// counts and, for arrays that are no tensors, the C library's. For probes, benchmarks and tests.

#include "base/bytes.h"
#include "engine/net/capped_heap.h"

namespace az {

// Counts from its construction or the last Restart. It resets the heap's peaks, so there is one at
// a time. Thread-compatible; what other threads allocate meanwhile is counted too.
class ByteTrace {
 public:
  explicit ByteTrace(CappedHeap& heap);  // which outlives it
  void Restart();

  Bytes live() const;            // tensors that were made and still live, as asked for
  Bytes peak() const;            // the most of it
  Bytes allocated_peak() const;  // with rounding
  // The most that was taken from the system beyond what was in use at the start.
  Bytes reserved_peak() const;
  Bytes other() const;  // live arrays of the main thread outside the heap
  std::int64_t allocations() const;

 private:
  CappedHeap& heap_;
  HeapStats start_;
  Bytes other_start_;
};

}  // namespace az
