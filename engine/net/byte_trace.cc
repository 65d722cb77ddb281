#include "engine/net/byte_trace.h"

#include <malloc.h>

namespace az {
namespace {

// Of the main thread's arena, and mappings of all threads.
Bytes LibraryBytes() {
  const struct mallinfo2 info = mallinfo2();
  return Bytes(static_cast<std::int64_t>(info.uordblks + info.hblkhd));
}

}  // namespace

ByteTrace::ByteTrace(CappedHeap& heap) : heap_(heap) { Restart(); }

void ByteTrace::Restart() {
  heap_.EmptyCache();
  heap_.ResetPeaks();
  start_ = heap_.stats();
  other_start_ = LibraryBytes();
}

Bytes ByteTrace::live() const { return heap_.stats().requested - start_.requested; }
Bytes ByteTrace::peak() const { return heap_.stats().requested_peak - start_.requested; }
Bytes ByteTrace::allocated_peak() const { return heap_.stats().allocated_peak - start_.allocated; }
Bytes ByteTrace::reserved_peak() const { return heap_.stats().reserved_peak - start_.reserved; }
Bytes ByteTrace::other() const { return LibraryBytes() - other_start_; }
std::int64_t ByteTrace::allocations() const {
  return heap_.stats().allocations - start_.allocations;
}

}  // namespace az
