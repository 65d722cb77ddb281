#include "engine/server/run_times.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace az {
namespace {

constexpr double kWeightOfNew = 0.1;

Duration FromSeconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

RunTimes::RunTimes(std::vector<int> buckets) : buckets_(std::move(buckets)) {
  for (auto& times : times_s_) times.assign(buckets_.size(), Ewma(kWeightOfNew));
}

int RunTimes::Index(int bucket) const {
  const auto found = std::find(buckets_.begin(), buckets_.end(), bucket);
  AZ_CHECK(found != buckets_.end()) << "bucket " << bucket;
  return static_cast<int>(found - buckets_.begin());
}

void RunTimes::Add(int model, int bucket, Duration time) {
  const auto index = static_cast<std::size_t>(Index(bucket));
  MutexLock lock(mutex_);
  times_s_[static_cast<std::size_t>(model)][index].Add(Seconds(time));
}

Duration RunTimes::Estimate(int model, int bucket) const {
  const auto index = static_cast<std::size_t>(Index(bucket));
  MutexLock lock(mutex_);
  return FromSeconds(times_s_[static_cast<std::size_t>(model)][index].value());
}

Duration RunTimes::Starve() const {
  Duration longest{};
  for (int model = 0; model < kMaxModels; ++model) {
    longest = std::max(longest, Estimate(model, buckets_.back()));
  }
  return std::max<Duration>(4 * longest, std::chrono::milliseconds(20));
}

Duration RunTimes::HangLimit(int model, int bucket) const {
  const Duration estimate = Estimate(model, bucket);
  if (estimate == Duration::zero()) return std::chrono::seconds(120);
  return std::max<Duration>(50 * estimate, std::chrono::seconds(10));
}

}  // namespace az
