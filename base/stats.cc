#include "base/stats.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace az {

double Quantile(std::span<const double> values, double fraction) {
  AZ_CHECK(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double rank = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double Median(std::span<const double> values) { return Quantile(values, 0.5); }

Interval WilsonInterval(double successes, double trials, double z) {
  AZ_CHECK_GT(trials, 0.0);
  const double share = successes / trials;
  const double z2 = z * z;
  const double centre = (share + z2 / (2 * trials)) / (1 + z2 / trials);
  const double half =
      z / (1 + z2 / trials) * std::sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials));
  // The ends are set exactly: rounding would turn an upper limit of 1 into 1 - 1e-16.
  return {successes <= 0 ? 0.0 : std::max(0.0, centre - half),
          successes >= trials ? 1.0 : std::min(1.0, centre + half)};
}

}  // namespace az
