#pragma once
// Leak detector: does a series of memory figures, one an iteration, only ever grow? Robust against
// noise, warming up and single steps (a cache that fills, a window that grows once). Pure; used by
// the Governor on each series it keeps.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace az {

struct LeakOptions {
  Bytes slope = KiB(512);  // an iteration; below it nothing is flagged
  int warmup = 2;          // first samples that do not count
};
inline constexpr int kLeakLeastPoints = 5;
inline constexpr int kLeakMostPoints = 12;

// A line through a series by Theil and Sen: the median of the slopes of all pairs. Up to 29 % of
// the points may be anything without moving it.
struct Trend {
  double slope = 0;            // bytes a sample
  double noise = 0;            // median absolute deviation from the line, bytes
  double rising_fraction = 0;  // of all pairs
  double step_fraction = 0;    // the largest rise between neighbours, of the rise over all
  int points = 0;
};
// REQUIRES: at least two values.
Trend FitTrend(std::span<const Bytes> values);

// Whether a trend over so many points is a leak. The fewer the points, the clearer it must be: five
// random numbers rise by chance once in 120 times. A rise of which half came at once is a step.
bool IsLeak(const Trend& trend, const LeakOptions& options);

// The samples of one series. Thread-compatible.
class LeakSeries {
 public:
  explicit LeakSeries(LeakOptions options) : options_(options) {}

  // Adds an iteration's figure. The trend, when it is a leak.
  std::optional<Trend> Add(Bytes value);
  // What made the figures has been started again: they begin anew, warming up included.
  void Restart();
  int samples() const { return samples_; }

 private:
  LeakOptions options_;
  int samples_ = 0;            // since the start, those of the warm-up included
  std::vector<Bytes> values_;  // at most kLeakMostPoints, oldest first
};

// Iterations until `room` is used up at this slope; empty when it does not rise.
std::optional<std::int64_t> IterationsLeft(const Trend& trend, Bytes room);

}  // namespace az
