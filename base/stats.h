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

// Standard errors to each side of a 95 % interval.
inline constexpr double kZ95 = 1.959963984540054;

// Wilson's score interval for a share of `successes` (halves allowed) in `trials`. Its high end is
// exactly 1 where all are successes, its low end 0 where none is. REQUIRES: trials > 0.
Interval WilsonInterval(double successes, double trials, double z = kZ95);

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
