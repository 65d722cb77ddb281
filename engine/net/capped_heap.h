#pragma once
// CappedHeap: memory for tensors on a CPU. It counts, keeps to a cap, and caches by size, because
// on the C library's heap a training step peaks at up to 2.3 times what it keeps alive
// (docs/memory.md). capped_cpu_allocator.h gives it to LibTorch.
//
//   block   | header, 64 bytes | data, 64-byte aligned |
//   below kMappedBytes: from the C library; from there on: a mapping of its own, kept when freed
//
// A cached mapping is used again for a request that fills at least 8/9 of it. Before another
// mapping is made, cached ones are unmapped until all that is mapped is at most 9/8 of the most
// that lived at a time since the cache was last emptied. So the peak of reserved stays near the
// peak of allocated whatever sizes come. The newest go first: steps repeat, so what was freed
// longest ago is wanted again soonest, and a steady run maps next to nothing.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "base/bytes.h"
#include "base/thread_annotations.h"

namespace az {

struct HeapStats {
  Bytes requested;  // live, as asked for
  Bytes allocated;  // live, with headers and rounding
  Bytes reserved;   // allocated and cached
  Bytes requested_peak;
  Bytes allocated_peak;
  Bytes reserved_peak;
  Bytes largest_cached;          // the most that one cached mapping can hold
  std::int64_t allocations = 0;  // served or refused, since the start
  std::int64_t live_blocks = 0;
  std::int64_t retries = 0;  // the cap made it give its cache back
  std::int64_t ooms = 0;     // refused
  std::optional<Bytes> cap;

  Bytes cached() const { return reserved - allocated; }
};

struct HeapRefusal {
  Bytes requested;
  HeapStats stats;  // when it was refused
};

// Thread-safe. Outlives its blocks.
class CappedHeap {
 public:
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kMappedBytes = 64 << 10;

  CappedHeap() = default;
  ~CappedHeap();  // unmaps the cache; REQUIRES: no block is live
  CappedHeap(const CappedHeap&) = delete;
  CappedHeap& operator=(const CappedHeap&) = delete;

  // nullptr: the cap, the system or FailAt refused. REQUIRES: bytes > 0.
  void* Allocate(std::size_t bytes);
  // Gives back a block of any CappedHeap, or nullptr. A block freed twice ends the process.
  static void Free(void* data);

  // See DeviceMemory::SetCap. REQUIRES: nothing or not negative.
  void SetCap(std::optional<Bytes> cap);
  // Unmaps all cached blocks; the bytes unmapped.
  Bytes EmptyCache();
  void ResetPeaks();
  // The counts are read one by one: of one moment only while nobody allocates.
  HeapStats stats() const AZ_EXCLUDES(mutex_);
  // The newest, of whichever thread.
  std::optional<HeapRefusal> last_refusal() const AZ_EXCLUDES(mutex_);

  // The `nth` allocation from now is refused (1: the next), by whichever thread; 0: none. For tests
  // of what a failed allocation leaves behind.
  void FailAt(std::int64_t nth) { fail_in_.store(nth, std::memory_order_relaxed); }

 private:
  struct Header;
  // A count and the highest it was. Each is exact; together they are not of one moment.
  class Gauge {
   public:
    void Add(std::int64_t n);
    // Adds unless the sum would pass `limit`; whether it did.
    bool AddWithin(std::int64_t n, std::int64_t limit);
    std::int64_t now() const { return now_.load(std::memory_order_relaxed); }
    std::int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
    void ResetPeak() { peak_.store(now(), std::memory_order_relaxed); }

   private:
    void RaisePeak(std::int64_t value);

    std::atomic<std::int64_t> now_ = 0;
    std::atomic<std::int64_t> peak_ = 0;
  };
  static constexpr std::int64_t kNoCap = std::numeric_limits<std::int64_t>::max();

  bool IsToFail();
  void NoteRefusal(std::size_t bytes) AZ_EXCLUDES(mutex_);
  Header* NewSmall(std::size_t size);
  Header* NewMapped(std::size_t size);
  Header* TakeCached(std::size_t size) AZ_EXCLUDES(mutex_);
  // Counts `size` as reserved, at the price of cached blocks where the cap is short.
  bool Reserve(std::size_t size) AZ_EXCLUDES(mutex_);
  // Unmaps the newest cached blocks until `wanted` bytes are unmapped; the bytes that were.
  std::int64_t Unmap(std::int64_t wanted) AZ_EXCLUDES(mutex_);
  void Give(Header* block);

  Gauge requested_;
  Gauge allocated_;
  Gauge held_;  // as allocated_; its peak begins anew when the cache is emptied
  Gauge reserved_;
  std::atomic<std::int64_t> live_blocks_ = 0;
  std::atomic<std::int64_t> allocations_ = 0;
  std::atomic<std::int64_t> retries_ = 0;
  std::atomic<std::int64_t> ooms_ = 0;
  std::atomic<std::int64_t> fail_in_ = 0;
  std::atomic<std::int64_t> cap_ = kNoCap;

  mutable Mutex mutex_;
  std::multimap<std::size_t, Header*> cache_ AZ_GUARDED_BY(mutex_);  // by size
  Header* newest_ AZ_GUARDED_BY(mutex_) = nullptr;                   // of the cache, a list by age
  std::int64_t unmapping_ AZ_GUARDED_BY(mutex_) = 0;  // bytes taken from the cache, still reserved
  std::optional<HeapRefusal> last_refusal_ AZ_GUARDED_BY(mutex_);
  std::condition_variable unmapped_;
};

}  // namespace az
