#pragma once
// The plan that free memory would allow: where every ladder begins.

#include "scheduler/plan.h"

namespace az {

// Workers, lanes, runners and the bucket by the formulas of docs/memory.md, The planner, learner
// shards, micro-batch and formats; numbers written in the config as they are. No budgets and no
// bills in it.
Plan IdealPlan(const PlanInput& input);

}  // namespace az
