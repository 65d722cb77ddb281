#pragma once
// When to take back a rung that was given up after an out-of-memory error: after `climb_after`
// clean iterations, one rung at a time. A height that failed before waits 2, 4, 8… times as long,
// so that a run does not go up and down for ever. Pure; the Governor keeps the state in state.json.

#include <cstdint>
#include <vector>

namespace az {

struct ClimbOptions {
  int climb_after = 3;  // clean iterations per rung; 0 = never climbs
};
inline constexpr int kMostClimbWait = 1 << 20;  // iterations

// The state of one ladder. A value: equal histories give equal states.
struct ClimbState {
  int rungs = 0;  // rungs now given up below the plan
  int clean = 0;  // iterations without a failure since the last change
  // failures[k]: how often standing k rungs below the plan has failed.
  std::vector<int> failures;
  friend bool operator==(const ClimbState&, const ClimbState&) = default;
};

// Goes one rung down, as an allocation failed at the present height.
void TakeRung(ClimbState& state);
// The clean iterations that the next rung up needs; 0: it never comes, or there is none.
int ClimbWait(const ClimbState& state, const ClimbOptions& options);
// Notes the end of an iteration; `was_clean`: it had no failure. Returns true when a rung may be
// climbed now; the caller then asks the planner, and calls Climb if the predicted memory fits.
bool EndIteration(ClimbState& state, const ClimbOptions& options, bool was_clean);
void Climb(ClimbState& state);

}  // namespace az
