#include "base/rng.h"

#include <cmath>
#include <numbers>

#include "base/check.h"

namespace az {

double Rng::Exponential() { return -std::log1p(-Uniform()); }

double Rng::Normal() {  // Box-Muller; the second value is dropped so that the state stays two words
  const double radius = std::sqrt(2.0 * Exponential());
  return radius * std::cos(2.0 * std::numbers::pi * Uniform());
}

double Rng::Gamma(
    double shape) {  // Marsaglia and Tsang 2000; shapes below 1 by the boost U^(1/shape)
  AZ_CHECK_GT(shape, 0.0);
  if (shape < 1.0) {
    const double boosted = Gamma(shape + 1.0);
    return boosted * std::pow(1.0 - Uniform(), 1.0 / shape);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = Normal();
    const double t = 1.0 + c * x;
    if (t <= 0.0) continue;
    const double v = t * t * t;
    const double u = 1.0 - Uniform();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

}  // namespace az
