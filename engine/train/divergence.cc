#include "engine/train/divergence.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/stats.h"

namespace az {
namespace {

constexpr double kAboveIgnorance = 2.0;
constexpr double kAboveMedian = 3.0;
constexpr std::ptrdiff_t kLastSteps = 16;  // whose mean must be below ignorance at the end

}  // namespace

double RateCut(std::int64_t returns) { return std::pow(0.5, static_cast<double>(returns)); }

double DivergenceWatch::limit() const {
  const double most = kAboveIgnorance * ignorance_;
  if (recent_.size() < kFewest) return most;
  const std::vector<double> losses(recent_.begin(), recent_.end());
  return std::min(most, std::max(ignorance_, kAboveMedian * Median(losses)));
}

bool DivergenceWatch::Explodes(double loss) {
  in_a_row_ = loss > limit() ? in_a_row_ + 1 : 0;
  recent_.push_back(loss);
  if (recent_.size() > kMemory) recent_.pop_front();
  return in_a_row_ >= kInARow;
}

bool DivergenceWatch::EndsIgnorant() const {
  if (recent_.size() < kFewest) return false;
  double sum = 0;
  for (auto loss = recent_.end() - kLastSteps; loss != recent_.end(); ++loss) sum += *loss;
  return sum / static_cast<double>(kLastSteps) > ignorance_;
}

void DivergenceWatch::Forget() {
  recent_.clear();
  in_a_row_ = 0;
}

}  // namespace az
