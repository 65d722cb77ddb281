#pragma once
// MemoryLadder: what to do when the device refuses a batch for lack of memory. First clean up and
// run the same again, then halve the largest bucket, down to the smallest; then the supervisor must
// help.

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/thread_annotations.h"

namespace az {

enum class MemoryStep : std::uint8_t {
  kCleanUp,         // release cached memory, run the same rows again
  kSmallerBucket,   // buckets() has become shorter, run the same rows again
  kGivenUpAlready,  // another refusal cleaned up or made them shorter since the batch was sealed:
                    // run it again
  kExhausted,       // even the smallest bucket did not fit, after a clean-up
};

// Thread-safe.
class MemoryLadder {
 public:
  explicit MemoryLadder(std::vector<int> buckets);  // rising, not empty

  // A batch padded to `bucket` rows was refused, `clean_ups()` as it was when it was sealed.
  MemoryStep OutOfMemory(int bucket, int clean_ups) AZ_EXCLUDES(mutex_);
  // What kCleanUp asked for is done.
  void CleanedUp() AZ_EXCLUDES(mutex_);
  // How many are done: a batch that is sealed now runs after them.
  int clean_ups() const { return done_.load(std::memory_order_acquire); }
  void Success(int bucket)
      AZ_EXCLUDES(mutex_);  // memory sufficed: the next refusal starts with a clean-up again

  // How many of the buckets are in use: the first so many.
  int size() const { return size_.load(std::memory_order_relaxed); }
  std::vector<int> buckets() const;

 private:
  const std::vector<int> all_;
  std::atomic<int>
      size_;  // alone: a reader that sees the old one seals one batch more of the larger bucket
  Mutex mutex_;
  bool cleaned_ AZ_GUARDED_BY(mutex_) = false;
  int begun_ AZ_GUARDED_BY(mutex_) = 0;  // clean-ups asked for
  std::atomic<int> done_{0};             // acquire in clean_ups(): their memory is free
};

}  // namespace az
