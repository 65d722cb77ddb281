#pragma once
// The planner: from facts, wishes and budgets to a Plan, before anything is started. Pure: no
// clock, no files, whole bytes; the same input gives the same plan. Nothing is ever planned above a
// budget, and a larger budget never gives up more.

#include "base/result.h"
#include "scheduler/plan.h"

namespace az {

// The largest plan that fits. When the first choice does not, it gives things up one step (a rung)
// at a time: what the config leaves open first, then, with on_overcommit: degrade, numbers written
// in the config; Plan::reasons tells each. kInvalid: written numbers do not fit and on_overcommit
// is refuse. kNoMemory: not even the smallest plan fits; the message has the phase, its largest
// terms and the least that would do.
Result<Plan> MakePlan(const PlanInput& input);

// What a budget keeps free for what no formula sees: 2 %, at least 16 MiB (host) or 128 MiB (GPU).
Bytes RamGuard(Bytes budget);
Bytes VramGuard(Bytes budget);

}  // namespace az
