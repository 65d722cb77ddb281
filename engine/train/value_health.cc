#include "engine/train/value_health.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace az {

void ValueHealth::Add(double value, double outcome) {
  const double place = (value + 1.0) / 2.0 * kBins;
  const int index = std::clamp(static_cast<int>(std::floor(place)), 0, kBins - 1);
  Bin& bin = bins_[static_cast<std::size_t>(index)];
  bin.count += 1;
  bin.predicted += value;
  bin.outcome += outcome;
  count_ += 1;
  value_ += value;
  absolute_ += std::abs(value);
  outcome_ += outcome;
  value_squared_ += value * value;
  outcome_squared_ += outcome * outcome;
  product_ += value * outcome;
}

ValueHealth& ValueHealth::operator+=(const ValueHealth& other) {
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    bins_[i].count += other.bins_[i].count;
    bins_[i].predicted += other.bins_[i].predicted;
    bins_[i].outcome += other.bins_[i].outcome;
  }
  count_ += other.count_;
  value_ += other.value_;
  absolute_ += other.absolute_;
  outcome_ += other.outcome_;
  value_squared_ += other.value_squared_;
  outcome_squared_ += other.outcome_squared_;
  product_ += other.product_;
  return *this;
}

double ValueHealth::CalibrationError() const {
  double error = 0;
  for (const Bin& bin : bins_) error += std::abs(bin.predicted - bin.outcome);
  return count_ > 0 ? error / count_ : 0.0;
}

double ValueHealth::MeanAbsolute() const { return count_ > 0 ? absolute_ / count_ : 0.0; }

double ValueHealth::Brier() const {
  return count_ > 0 ? (value_squared_ - 2 * product_ + outcome_squared_) / (4 * count_) : 0.0;
}

std::optional<double> ValueHealth::Correlation() const {
  constexpr double kStill = 1e-12;  // variance that is only rounding
  if (count_ == 0) return std::nullopt;
  const double value_variance = value_squared_ / count_ - std::pow(value_ / count_, 2);
  const double outcome_variance = outcome_squared_ / count_ - std::pow(outcome_ / count_, 2);
  if (value_variance < kStill || outcome_variance < kStill) return std::nullopt;
  const double covariance = product_ / count_ - value_ / count_ * outcome_ / count_;
  return covariance / std::sqrt(value_variance * outcome_variance);
}

}  // namespace az
