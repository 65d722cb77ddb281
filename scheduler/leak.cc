#include "scheduler/leak.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

namespace az {
namespace {

// Demands for kLeakLeastPoints points, one more, and so on; the last holds for any larger number.
// Chosen on simulated runs (docs/memory.md, watching): with noise of 0.5 MiB, none of 1000 clean
// runs of 40 iterations is flagged, and a leak of 1 MiB per iteration is found within 7.
struct Demand {
  double noises;  // slope, in units of the noise
  double rising_fraction;
};
constexpr std::array<Demand, 6> kDemands = {
    {{3.0, 1.0}, {3.0, 0.93}, {2.0, 0.9}, {1.5, 0.9}, {1.2, 0.9}, {1.0, 0.9}}};
constexpr double kStepFraction = 0.5;

double Median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(half));
  if (values.size() % 2 == 1) return values[half];
  const double lower =
      *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half));
  return (lower + values[half]) / 2;
}

double Count(Bytes bytes) { return static_cast<double>(bytes.count()); }

}  // namespace

Trend FitTrend(std::span<const Bytes> values) {
  AZ_CHECK_GE(values.size(), 2u);
  const std::size_t points = values.size();
  std::vector<double> slopes;
  int rising = 0;
  double largest_rise = 0;
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t j = i + 1; j < points; ++j) {
      const double rise = Count(values[j]) - Count(values[i]);
      slopes.push_back(rise / static_cast<double>(j - i));
      rising += rise > 0 ? 1 : 0;
      if (j == i + 1) largest_rise = std::max(largest_rise, rise);
    }
  }
  Trend trend;
  trend.points = static_cast<int>(points);
  trend.rising_fraction = static_cast<double>(rising) / static_cast<double>(slopes.size());
  trend.slope = Median(std::move(slopes));
  std::vector<double> rests;
  for (std::size_t i = 0; i < points; ++i) {
    rests.push_back(Count(values[i]) - trend.slope * static_cast<double>(i));
  }
  const double offset = Median(rests);
  for (double& rest : rests) rest = std::abs(rest - offset);
  trend.noise = Median(std::move(rests));
  const double whole_rise = Count(values.back()) - Count(values.front());
  trend.step_fraction = whole_rise > 0 ? largest_rise / whole_rise : 1.0;
  return trend;
}

bool IsLeak(const Trend& trend, const LeakOptions& options) {
  if (trend.points < kLeakLeastPoints) return false;
  const auto row = static_cast<std::size_t>(trend.points - kLeakLeastPoints);
  const Demand& demand = kDemands[std::min(row, kDemands.size() - 1)];
  return trend.slope >= Count(options.slope) && trend.slope >= demand.noises * trend.noise &&
         trend.rising_fraction >= demand.rising_fraction && trend.step_fraction <= kStepFraction;
}

std::optional<Trend> LeakSeries::Add(Bytes value) {
  if (++samples_ <= options_.warmup) return {};
  values_.push_back(value);
  if (values_.size() > kLeakMostPoints) values_.erase(values_.begin());
  if (values_.size() < kLeakLeastPoints) return {};
  const Trend trend = FitTrend(values_);
  if (!IsLeak(trend, options_)) return {};
  return trend;
}

void LeakSeries::Restart() {
  samples_ = 0;
  values_.clear();
}

std::optional<std::int64_t> IterationsLeft(const Trend& trend, Bytes room) {
  if (trend.slope <= 0) return {};
  return static_cast<std::int64_t>(std::max(0.0, Count(room)) / trend.slope);
}

}  // namespace az
