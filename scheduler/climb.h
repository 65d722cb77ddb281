#pragma once
// When to climb back a rung that an out-of-memory took: after `climb_after` clean iterations, one
// rung at a time; a height that failed before waits 2, 4, 8… times as long, so that a run cannot
// flap. Pure; kept in state.json by the Governor.

#include <cstdint>
#include <vector>

namespace az {

struct ClimbOptions {
  int climb_after = 3;  // clean iterations a rung; 0 = never climbs
};
inline constexpr int kMostClimbWait = 1 << 20;  // iterations

// One ladder. A value: two equal histories give equal states.
struct ClimbState {
  int rungs = 0;  // taken now, below the plan
  int clean = 0;  // iterations without a failure since the last change
  // failures[k]: how often standing k rungs below the plan has failed.
  std::vector<int> failures;
  friend bool operator==(const ClimbState&, const ClimbState&) = default;
};

// An allocation failed at the present height: one rung down.
void TakeRung(ClimbState& state);
// Clean iterations that the next rung up needs; 0: never, or there is none.
int ClimbWait(const ClimbState& state, const ClimbOptions& options);
// An iteration ended; `was_clean`: without a failure. True: may climb a rung now; the caller asks
// the planner and calls Climb if what is predicted fits.
bool EndIteration(ClimbState& state, const ClimbOptions& options, bool was_clean);
void Climb(ClimbState& state);

}  // namespace az
