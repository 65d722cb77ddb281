#pragma once
// RunTimes: how long batches take, by model slot and bucket. The dispatcher plans with it, the
// watchdog judges with it.

#include <array>
#include <vector>

#include "base/clock.h"
#include "base/stats.h"
#include "base/thread_annotations.h"
#include "engine/ipc/counters.h"

namespace az {

// Thread-safe.
class RunTimes {
 public:
  explicit RunTimes(std::vector<int> buckets);

  int Index(int bucket) const;  // REQUIRES: one of the buckets
  void Add(int model, int bucket, Duration time) AZ_EXCLUDES(mutex_);
  Duration Estimate(int model, int bucket) const AZ_EXCLUDES(mutex_);  // 0 before the first
  // 4 times the largest bucket's time, at least 20 ms.
  Duration Starve() const AZ_EXCLUDES(mutex_);
  // After so long a batch hangs: 50 times its estimate, at least 10 s; 120 s for the first of its
  // kind.
  Duration HangLimit(int model, int bucket) const AZ_EXCLUDES(mutex_);

 private:
  const std::vector<int> buckets_;
  mutable Mutex mutex_;
  std::array<std::vector<Ewma>, kMaxModels> times_s_ AZ_GUARDED_BY(mutex_);
};

}  // namespace az
