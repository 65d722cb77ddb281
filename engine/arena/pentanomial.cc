#include "engine/arena/pentanomial.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace az {
namespace {

constexpr double kUnseenPairs = 0.03;

using Weights = std::array<double, 5>;

constexpr double PairScore(std::size_t result) { return static_cast<double>(result) / 4; }

Weights WeightsOf(const PairCounts& pairs) {
  Weights weights{};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    weights[i] = pairs[i] == 0 ? kUnseenPairs : static_cast<double>(pairs[i]);
  }
  return weights;
}

// The multiplier x of the header's formula. The sum falls from +infinity to -infinity between the
// two ends, so Newton's method, with bisection as a safety net, finds its only root.
double Multiplier(const Weights& weights, double score) {
  double low = -1 / (1 - score);
  double high = 1 / score;
  double x = 0;
  for (int step = 0; step < 200; ++step) {
    double sum = 0;
    double slope = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double distance = PairScore(i) - score;
      const double share = distance / (1 + x * distance);
      sum += weights[i] * share;
      slope -= weights[i] * share * share;
    }
    (sum > 0 ? low : high) = x;
    double next = x - sum / slope;
    if (!(next > low && next < high)) next = (low + high) / 2;
    const double moved = std::abs(next - x);
    x = next;
    if (moved <= 1e-12 * (1 + std::abs(x))) break;
  }
  return x;
}

double LogRatio(const Weights& weights, double score) {
  const double x = Multiplier(weights, score);
  double log_ratio = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    log_ratio -= weights[i] * std::log1p(x * (PairScore(i) - score));
  }
  return log_ratio;
}

// The score at which -2 log R equals `limit`. It lies between `inside`, where -2 log R is smaller,
// and `end` (0 or 1), where it is infinite.
double BoundOf(const Weights& weights, double limit, double inside, double end) {
  for (int step = 0; step < 50; ++step) {
    const double middle = (inside + end) / 2;
    (-2 * LogRatio(weights, middle) <= limit ? inside : end) = middle;
  }
  return inside;
}

struct Mean {
  double count = 0;
  double score = 0.5;
};

template <class Counts>
Mean MeanOf(const Counts& counts) {
  double count = 0;
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto n = static_cast<double>(counts[i]);
    count += n;
    sum += n * PairScore(i);
  }
  if (count == 0) return {};
  return {.count = count, .score = sum / count};
}

}  // namespace

double EloOfScore(double score) {
  if (score <= 0) return -std::numeric_limits<double>::infinity();
  if (score >= 1) return std::numeric_limits<double>::infinity();
  return -400.0 * std::log10(1.0 / score - 1.0) + 0.0;  // + 0.0 turns -0 into 0
}

double ScoreOfElo(double elo) { return 1 / (1 + std::pow(10.0, -elo / 400)); }

std::int64_t PairsIn(const PairCounts& pairs) {
  std::int64_t count = 0;
  for (const std::int64_t n : pairs) count += n;
  return count;
}

double ScoreOf(const PairCounts& pairs) { return MeanOf(pairs).score; }

double LogLikelihoodRatio(const PairCounts& pairs, double score) {
  AZ_CHECK(score > 0 && score < 1) << score;
  return PairsIn(pairs) == 0 ? 0.0 : LogRatio(WeightsOf(pairs), score);
}

ScoreEstimate EstimateFromPairs(const PairCounts& pairs) {
  ScoreEstimate estimate;
  const Mean mean = MeanOf(pairs);
  estimate.score = mean.score;
  const bool all_alike = std::count(pairs.begin(), pairs.end(), 0) == 4;
  if (all_alike) {
    estimate.score_interval = WilsonInterval(mean.score * mean.count, mean.count, kZ95);
  } else if (mean.count > 0) {
    const Weights weights = WeightsOf(pairs);
    const double inside = MeanOf(weights).score;
    constexpr double kLimit = kZ95 * kZ95;  // 95 % quantile of chi squared
    estimate.score_interval = {std::min(estimate.score, BoundOf(weights, kLimit, inside, 0.0)),
                               std::max(estimate.score, BoundOf(weights, kLimit, inside, 1.0))};
  }
  estimate.elo = EloOfScore(estimate.score);
  estimate.elo_interval = {EloOfScore(estimate.score_interval.low),
                           EloOfScore(estimate.score_interval.high)};
  return estimate;
}

}  // namespace az
