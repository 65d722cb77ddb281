#pragma once
// The last samples of a run's memory and what they peaked at since a mark. Values; the Governor's.

#include <cstddef>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "engine/process/memory_monitor.h"

namespace az {

struct MemorySample {
  TimePoint at{};
  Bytes ram;                     // of all processes, segment once
  std::optional<Bytes> gpu;      // used on the card, co-tenants included
  std::optional<Bytes> gpu_own;  // our process's part
};

// Largest values, each for itself: the parts of a peak need not have been at the same time.
struct MemoryPeaks {
  Bytes ram;
  Bytes supervisor;
  Bytes device;
  Bytes workers;
  std::optional<Bytes> gpu;
  std::optional<Bytes> gpu_own;
  int samples = 0;
  void Add(const MemoryUse& use);
};

// A ring: the newest `capacity` samples. Thread-compatible.
class MemoryHistory {
 public:
  explicit MemoryHistory(std::size_t capacity) : capacity_(capacity) {}

  void Add(const MemorySample& sample);
  std::size_t size() const { return ring_.size(); }
  // Of the samples from `from` on, oldest first, at most `most`: each the largest of an equal share
  // of them, so that no peak is lost.
  std::vector<MemorySample> Since(TimePoint from, std::size_t most) const;

 private:
  std::size_t capacity_;
  std::size_t next_ = 0;  // of the ring, once it is full
  std::vector<MemorySample> ring_;
};

}  // namespace az
