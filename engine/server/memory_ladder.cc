#include "engine/server/memory_ladder.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace az {

MemoryLadder::MemoryLadder(std::vector<int> buckets)
    : all_(std::move(buckets)), size_(static_cast<int>(all_.size())) {
  AZ_CHECK(!all_.empty());
}

MemoryStep MemoryLadder::OutOfMemory(int bucket, int clean_ups) {
  MutexLock lock(mutex_);
  const int size = size_.load(std::memory_order_relaxed);
  const int largest = all_[static_cast<std::size_t>(size - 1)];
  if (bucket > largest) return MemoryStep::kGivenUpAlready;
  if (cleaned_ && clean_ups < begun_) return MemoryStep::kGivenUpAlready;
  if (!cleaned_) {
    cleaned_ = true;
    ++begun_;
    return MemoryStep::kCleanUp;
  }
  cleaned_ = false;
  if (size == 1) return MemoryStep::kExhausted;
  // At most half of what was refused, so that each step is worth its clean-up.
  int next = size - 1;
  while (next > 1 && all_[static_cast<std::size_t>(next - 1)] > bucket / 2) --next;
  size_.store(next, std::memory_order_relaxed);
  return MemoryStep::kSmallerBucket;
}

void MemoryLadder::CleanedUp() {
  MutexLock lock(mutex_);
  done_.store(begun_, std::memory_order_release);
}

void MemoryLadder::Success(int bucket) {
  MutexLock lock(mutex_);
  const int largest = all_[static_cast<std::size_t>(size_.load(std::memory_order_relaxed) - 1)];
  if (bucket >= largest) cleaned_ = false;
}

std::vector<int> MemoryLadder::buckets() const { return {all_.begin(), all_.begin() + size()}; }

}  // namespace az
