#include "engine/net/capped_heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <new>

#include "base/check.h"

namespace az {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
constexpr std::uint32_t kLive = 0x4c697665;
constexpr std::uint32_t kFreed = 0x46726564;

constexpr std::size_t RoundUp(std::size_t size, std::size_t unit) {
  return (size + unit - 1) / unit * unit;
}

}  // namespace

struct alignas(CappedHeap::kAlignment) CappedHeap::Header {
  CappedHeap* heap;
  std::size_t size;  // with this header and rounding
  std::size_t requested;
  Header* older;  // in the cache
  Header* newer;
  std::uint32_t state;
  bool is_mapped;
};

void CappedHeap::Gauge::RaisePeak(std::int64_t value) {
  std::int64_t peak = peak_.load(std::memory_order_relaxed);
  while (value > peak && !peak_.compare_exchange_weak(peak, value, std::memory_order_relaxed)) {
  }
}

void CappedHeap::Gauge::Add(std::int64_t n) {
  RaisePeak(now_.fetch_add(n, std::memory_order_relaxed) + n);
}

bool CappedHeap::Gauge::AddWithin(std::int64_t n, std::int64_t limit) {
  std::int64_t before = now_.load(std::memory_order_relaxed);
  do {
    if (n > limit || before > limit - n) return false;
  } while (!now_.compare_exchange_weak(before, before + n, std::memory_order_relaxed));
  RaisePeak(before + n);
  return true;
}

CappedHeap::~CappedHeap() {
  AZ_CHECK_EQ(live_blocks_.load(), 0);
  Unmap(kAll);
}

bool CappedHeap::IsToFail() {
  allocations_.fetch_add(1, std::memory_order_relaxed);
  if (fail_in_.load(std::memory_order_relaxed) <= 0) return false;
  return fail_in_.fetch_sub(1, std::memory_order_relaxed) == 1;
}

void CappedHeap::NoteRefusal(std::size_t bytes) {
  ooms_.fetch_add(1, std::memory_order_relaxed);
  const HeapRefusal refusal{.requested = Bytes(static_cast<std::int64_t>(bytes)), .stats = stats()};
  const MutexLock lock(mutex_);
  last_refusal_ = refusal;
}

std::optional<HeapRefusal> CappedHeap::last_refusal() const {
  const MutexLock lock(mutex_);
  return last_refusal_;
}

void* CappedHeap::Allocate(std::size_t bytes) {
  static_assert(sizeof(Header) == kAlignment);
  // What no machine has would overflow the sums below.
  constexpr std::size_t kMost = std::size_t{1} << 56;
  Header* block = nullptr;
  if (!IsToFail() && bytes <= kMost) {
    block = bytes < kMappedBytes ? NewSmall(RoundUp(bytes, kAlignment) + sizeof(Header))
                                 : NewMapped(RoundUp(bytes + sizeof(Header), kPage));
  }
  if (block == nullptr) {
    NoteRefusal(bytes);
    return nullptr;
  }
  block->requested = bytes;
  block->state = kLive;
  requested_.Add(static_cast<std::int64_t>(bytes));
  allocated_.Add(static_cast<std::int64_t>(block->size));
  held_.Add(static_cast<std::int64_t>(block->size));
  live_blocks_.fetch_add(1, std::memory_order_relaxed);
  return block + 1;
}

void CappedHeap::Free(void* data) {
  if (data == nullptr) return;
  Header* block = static_cast<Header*>(data) - 1;
  AZ_CHECK_EQ(block->state, kLive) << "a block that is not live was freed";
  block->state = kFreed;
  block->heap->Give(block);
}

CappedHeap::Header* CappedHeap::NewSmall(std::size_t size) {
  if (!Reserve(size)) return nullptr;
  void* memory = std::aligned_alloc(kAlignment, size);
  if (memory == nullptr && Unmap(kAll) > 0) memory = std::aligned_alloc(kAlignment, size);
  if (memory == nullptr) {
    reserved_.Add(-static_cast<std::int64_t>(size));
    return nullptr;
  }
  return new (memory) Header{.heap = this, .size = size, .is_mapped = false};
}

CappedHeap::Header* CappedHeap::NewMapped(std::size_t size) {
  if (Header* cached = TakeCached(size)) return cached;
  const std::int64_t most = std::max(held_.peak(), held_.now() + static_cast<std::int64_t>(size));
  Unmap(reserved_.now() + static_cast<std::int64_t>(size) - most / 8 * 9);
  if (!Reserve(size)) return nullptr;
  const auto map = [size] {
    return mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  };
  void* memory = map();
  if (memory == MAP_FAILED && Unmap(kAll) > 0) memory = map();
  if (memory == MAP_FAILED) {
    reserved_.Add(-static_cast<std::int64_t>(size));
    return nullptr;
  }
  return new (memory) Header{.heap = this, .size = size, .is_mapped = true};
}

CappedHeap::Header* CappedHeap::TakeCached(std::size_t size) {
  const MutexLock lock(mutex_);
  const auto least = cache_.lower_bound(size);
  if (least == cache_.end() || least->first > size + size / 8) return nullptr;
  // Of equal ones the newest: it may still be in the processor's cache.
  const auto found = std::prev(cache_.upper_bound(least->first));
  Header* block = found->second;
  cache_.erase(found);
  if (block->older != nullptr) block->older->newer = block->newer;
  (block->newer != nullptr ? block->newer->older : newest_) = block->older;
  return block;
}

bool CappedHeap::Reserve(std::size_t size) {
  const auto bytes = static_cast<std::int64_t>(size);
  const std::int64_t cap = cap_.load(std::memory_order_relaxed);
  if (reserved_.AddWithin(bytes, cap)) return true;
  retries_.fetch_add(1, std::memory_order_relaxed);
  // Again while other threads fill the cache, or unmap what they took from it.
  while (true) {
    const bool gave = Unmap(std::max(std::int64_t{1}, reserved_.now() - cap + bytes)) > 0;
    if (reserved_.AddWithin(bytes, cap)) return true;
    if (gave) continue;
    const MutexLock lock(mutex_);
    if (newest_ != nullptr) continue;
    // Neither cached nor on its way back: all that is reserved lives.
    if (unmapping_ == 0) return reserved_.AddWithin(bytes, cap);
    std::unique_lock native(mutex_.native(), std::adopt_lock);
    unmapped_.wait(native);
    native.release();  // the MutexLock unlocks
  }
}

std::int64_t CappedHeap::Unmap(std::int64_t wanted) {
  if (wanted <= 0) return 0;
  Header* victims = nullptr;
  std::int64_t freed = 0;
  {
    const MutexLock lock(mutex_);
    while (newest_ != nullptr && freed < wanted) {
      Header* block = newest_;
      auto found = cache_.lower_bound(block->size);
      while (found->second != block) ++found;
      cache_.erase(found);
      newest_ = block->older;
      if (newest_ != nullptr) newest_->newer = nullptr;
      freed += static_cast<std::int64_t>(block->size);
      block->newer = victims;
      victims = block;
    }
    unmapping_ += freed;
  }
  if (freed == 0) return 0;
  // Unmapping takes as long as the block is large: without the lock.
  while (victims != nullptr) {
    Header* next = victims->newer;
    AZ_CHECK_EQ(munmap(victims, victims->size), 0);
    victims = next;
  }
  const MutexLock lock(mutex_);
  reserved_.Add(-freed);
  unmapping_ -= freed;
  unmapped_.notify_all();
  return freed;
}

void CappedHeap::Give(Header* block) {
  const auto size = static_cast<std::int64_t>(block->size);
  requested_.Add(-static_cast<std::int64_t>(block->requested));
  allocated_.Add(-size);
  held_.Add(-size);
  live_blocks_.fetch_sub(1, std::memory_order_relaxed);
  if (!block->is_mapped) {
    std::free(block);
    reserved_.Add(-size);
    return;
  }
  const MutexLock lock(mutex_);
  cache_.emplace(block->size, block);
  block->older = newest_;
  block->newer = nullptr;
  if (newest_ != nullptr) newest_->newer = block;
  newest_ = block;
}

void CappedHeap::SetCap(std::optional<Bytes> cap) {
  AZ_CHECK(!cap || cap->count() >= 0) << "a negative cap";
  cap_.store(cap ? cap->count() : kNoCap, std::memory_order_relaxed);
}

Bytes CappedHeap::EmptyCache() {
  held_.ResetPeak();
  return Bytes(Unmap(kAll));
}

void CappedHeap::ResetPeaks() {
  requested_.ResetPeak();
  allocated_.ResetPeak();
  reserved_.ResetPeak();
}

HeapStats CappedHeap::stats() const {
  const std::int64_t cap = cap_.load(std::memory_order_relaxed);
  std::size_t largest_cached = 0;
  {
    const MutexLock lock(mutex_);
    if (!cache_.empty()) largest_cached = cache_.rbegin()->first - sizeof(Header);
  }
  return {.requested = Bytes(requested_.now()),
          .allocated = Bytes(allocated_.now()),
          .reserved = Bytes(reserved_.now()),
          .requested_peak = Bytes(requested_.peak()),
          .allocated_peak = Bytes(allocated_.peak()),
          .reserved_peak = Bytes(reserved_.peak()),
          .largest_cached = Bytes(static_cast<std::int64_t>(largest_cached)),
          .allocations = allocations_.load(std::memory_order_relaxed),
          .live_blocks = live_blocks_.load(std::memory_order_relaxed),
          .retries = retries_.load(std::memory_order_relaxed),
          .ooms = ooms_.load(std::memory_order_relaxed),
          .cap = cap == kNoCap ? std::nullopt : std::optional(Bytes(cap))};
}

}  // namespace az
