#include "engine/data/short_term_value.h"

#include <algorithm>

namespace az {

double ShortTermHorizon(int cells) { return 1.0 + 0.056 * cells; }

void ShortTermValue::Add(Player mover, float root_value) {
  const double value = std::clamp(static_cast<double>(root_value), -1.0, 1.0);
  sum_ += rest_ * (1.0 - keeps_) * (mover == view_ ? value : -value);
  rest_ *= keeps_;
}

float ShortTermValue::EndedWith(Outcome outcome) const {
  return static_cast<float>(sum_ + rest_ * ValueFor(outcome, view_));
}

}  // namespace az
