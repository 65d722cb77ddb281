#include "scheduler/climb.h"

#include <algorithm>

#include "base/check.h"

namespace az {

void TakeRung(ClimbState& state) {
  const auto height = static_cast<std::size_t>(state.rungs);
  if (state.failures.size() <= height) state.failures.resize(height + 1);
  ++state.failures[height];
  ++state.rungs;
  state.clean = 0;
}

int ClimbWait(const ClimbState& state, const ClimbOptions& options) {
  if (state.rungs == 0 || options.climb_after == 0) return 0;
  const auto above = static_cast<std::size_t>(state.rungs - 1);
  const int failures = above < state.failures.size() ? state.failures[above] : 0;
  // The first failure is what brought us here; each further one doubles the wait.
  const int doublings = std::clamp(failures - 1, 0, 20);
  const std::int64_t wait = std::int64_t{options.climb_after} << doublings;
  return static_cast<int>(std::min<std::int64_t>(wait, kMostClimbWait));
}

bool EndIteration(ClimbState& state, const ClimbOptions& options, bool was_clean) {
  if (!was_clean) {
    state.clean = 0;
    return false;
  }
  state.clean = std::min(state.clean + 1, kMostClimbWait);
  const int wait = ClimbWait(state, options);
  return wait > 0 && state.clean >= wait;
}

void Climb(ClimbState& state) {
  AZ_CHECK_GT(state.rungs, 0);
  --state.rungs;
  state.clean = 0;
}

}  // namespace az
