#include "engine/train/divergence.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/stats.h"

namespace az {
namespace {

constexpr double kAboveIgnorance = 2.0;
constexpr double kAboveMedian = 3.0;
constexpr double kForgotten = 0.5;   // of what was known, at the end
constexpr double kForgiven = 0.05;   // of the loss of ignorance: few rows, few steps
constexpr double kRemembered = 0.9;  // of RateGuard::known, from one training to the next
constexpr double kNoise = 0.01;      // of a loss above ignorance, which has no more to lose

}  // namespace

void RateGuard::OnReturn(Blame blame) {
  if (blame == Blame::kDevice) return;
  known = 0;
  ++returns;
  good_trainings = 0;
  factor = std::max(kLeast, factor * std::pow(0.5, static_cast<double>(returns)));
}

void RateGuard::OnGoodEnd(double known_now) {
  known = std::max(known_now, kRemembered * known);
  const bool went_back = returns > 0;
  returns = 0;
  if (went_back || factor >= 1.0) return;
  if (++good_trainings < kGoodTrainings) return;
  good_trainings = 0;
  factor = std::min(1.0, 2.0 * factor);
}

double DivergenceWatch::limit() const {
  const double most = kAboveIgnorance * ignorance_;
  if (recent_.size() < kFewest) return most;
  const std::vector<double> losses(recent_.begin(), recent_.end());
  return std::min(most, std::max(ignorance_, kAboveMedian * Median(losses)));
}

bool DivergenceWatch::Explodes(std::optional<double> loss) {
  const bool bad = !loss || *loss > limit();
  in_a_row_ = bad ? in_a_row_ + 1 : 0;
  if (loss) recent_.push_back(*loss);
  if (recent_.size() > kMemory) recent_.pop_front();
  return in_a_row_ >= kInARow;
}

void DivergenceWatch::Forget() {
  recent_.clear();
  in_a_row_ = 0;
}

bool EndedDiverged(double before, double after, double ignorance) {
  if (!std::isfinite(after)) return true;
  const double forgiven = (1.0 + kForgiven) * ignorance;
  if (!std::isfinite(before)) return after > forgiven;
  const double known = ignorance - before;
  const double loses = std::max(kForgotten * known, kForgiven * ignorance);
  return after > std::min(before + loses, std::max((1.0 + kNoise) * before, forgiven));
}

std::optional<Divergence> FindDivergence(const JudgedLoss& before, const JudgedLoss& after,
                                         const JudgedLoss& ignorance, double known) {
  const double lately = std::min(before.whole, (1.0 - known) * ignorance.whole);
  const Divergence parts[] = {
      {"loss", known > 0 ? lately : before.whole, after.whole, ignorance.whole},
      {"policy loss", before.policy, after.policy, ignorance.policy},
      {"value loss", before.value, after.value, ignorance.value}};
  for (const Divergence& part : parts) {
    if (EndedDiverged(part.before, part.after, part.ignorance)) return part;
  }
  return std::nullopt;
}

double KnownShare(double loss, double ignorance) {
  return ignorance > 0 && loss < ignorance ? 1.0 - loss / ignorance : 0.0;
}

}  // namespace az
