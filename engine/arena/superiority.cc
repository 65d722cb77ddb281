#include "engine/arena/superiority.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace az {

double LikelihoodOfSuperiority(const PairCounts& pairs) {
  const double deviance = std::max(0.0, -2 * LogLikelihoodRatio(pairs, 0.5));
  const double z = std::copysign(std::sqrt(deviance), ScoreOf(pairs) - 0.5);
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

}  // namespace az
