#pragma once
// Leak detector: tells whether a series of memory figures, one per iteration, keeps growing. Robust
// against noise, warming up and single steps (a cache that fills, a window that grows once). Pure;
// the Governor uses it on each series it keeps.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace az {

struct LeakOptions {
  Bytes slope = KiB(512);  // per iteration; a smaller slope is never flagged
  int warmup = 2;          // the first samples, which do not count
};
inline constexpr int kLeakLeastPoints = 5;
inline constexpr int kLeakMostPoints = 12;

// A line through a series by Theil and Sen: the median of the slopes of all pairs. Up to 29 % of
// the points may be outliers without moving it.
struct Trend {
  double slope = 0;            // bytes per sample
  double noise = 0;            // median absolute deviation from the line, in bytes
  double rising_fraction = 0;  // the share of pairs that rise
  double step_fraction = 0;    // the largest rise between neighbours as a share of the whole rise
  int points = 0;
};
// REQUIRES: at least two values.
Trend FitTrend(std::span<const Bytes> values);

// Whether a trend is a leak. The fewer its points, the clearer it must be: five random numbers are
// in rising order once in 120 times. A rise of which half came at once is a step, not a leak.
bool IsLeak(const Trend& trend, const LeakOptions& options);

// The samples of one series. Thread-compatible.
class LeakSeries {
 public:
  explicit LeakSeries(LeakOptions options) : options_(options) {}

  // Adds an iteration's figure. Returns the trend when it is a leak.
  std::optional<Trend> Add(Bytes value);
  // Begins anew, warm-up included, because the process behind the figures was restarted.
  void Restart();
  int samples() const { return samples_; }

 private:
  LeakOptions options_;
  int samples_ = 0;            // since the start, warm-up included
  std::vector<Bytes> values_;  // at most kLeakMostPoints, oldest first
};

// The iterations until `room` is used up at this slope; nullopt when it does not rise.
std::optional<std::int64_t> IterationsLeft(const Trend& trend, Bytes room);

}  // namespace az
