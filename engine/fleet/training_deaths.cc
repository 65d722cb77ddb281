#include "engine/fleet/training_deaths.h"

#include <algorithm>

namespace az {

void TrainingDeaths::Reached(std::int64_t step) {
  step_ = std::max(step_, step);
  if (step > furthest_) ++beyond_;
}

bool TrainingDeaths::Died() {
  if (!is_sent_) return false;
  if (beyond_ >= 2) in_a_row_ = 0;
  ++in_a_row_;
  furthest_ = std::max(furthest_, step_);
  step_ = 0;
  beyond_ = 0;
  is_sent_ = false;
  return in_a_row_ >= kMost;
}

}  // namespace az
