#pragma once
// Small statistics: medians for benchmarks, intervals for match scores, smoothed rates.

#include <cstdint>
#include <span>

namespace az {

// The middle value, or the mean of the two middle ones. REQUIRES: not empty.
double Median(std::span<const double> values);

// Linear interpolation between closest ranks; fraction in [0, 1]. REQUIRES: not empty.
double Quantile(std::span<const double> values, double fraction);

struct Interval {
  double low = 0;
  double high = 0;
};

// Wilson's score interval for a share of `successes` (halves allowed) in `trials`; z = 1.96 gives 95 %.
// REQUIRES: trials > 0.
Interval WilsonInterval(double successes, double trials, double z = 1.959964);

// Exponentially weighted mean: the first sample counts in full.
class Ewma {
 public:
  explicit Ewma(double weight_of_new) : weight_(weight_of_new) {}
  void Add(double sample) {
    value_ = count_ == 0 ? sample : value_ + weight_ * (sample - value_);
    ++count_;
  }
  double value() const { return value_; }
  std::int64_t count() const { return count_; }

 private:
  double weight_;
  double value_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace az
