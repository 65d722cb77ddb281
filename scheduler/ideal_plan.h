#pragma once
// The plan that unlimited memory would allow, where every ladder begins.

#include "scheduler/plan.h"

namespace az {

// Chooses workers, lanes, runners, the bucket, learner shards, micro-batch and number formats by
// the formulas of docs/memory.md (The planner); numbers written in the config stay as they are. The
// plan has no budgets and no bills.
Plan IdealPlan(const PlanInput& input);

}  // namespace az
