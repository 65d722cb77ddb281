#pragma once
// The planner: from facts, wishes and budgets to a Plan, before anything is started. Pure: no
// clock, no files, whole bytes; the same input gives the same plan. Nothing is ever planned above a
// budget, and a larger budget never gives up more (docs/adr/0006).

#include "base/result.h"
#include "scheduler/plan.h"

namespace az {

// The cheapest plan that fits (Price): what the config leaves open is given up before, with
// on_overcommit: degrade, numbers written in the config; Plan::reasons tells each. kInvalid:
// written numbers do not fit and on_overcommit is refuse, or contradict the device. kNoMemory: not
// even the smallest plan fits; the message has the phase, its largest terms and the least that
// would do. Where a GPU is too small and the config does not ask for it by name, the plan is for
// the processor and says so.
Result<Plan> MakePlan(const PlanInput& input);

// The input for the processor in the place of a GPU that is too small: without what was measured
// and given up there, and without the wishes that only a GPU can follow. What MakePlan goes on with
// then, and what later plans of such a run are made from. REQUIRES: input.without_gpu.
PlanInput WithoutGpu(PlanInput input);

struct Budgets {
  Bytes ram;
  Bytes vram;  // 0 without a GPU
};
// As written in the config, or what the device has: all of the free VRAM, 85 % of the host memory.
Budgets BudgetsOf(const PlanInput& input);

// What a budget keeps free for what no formula sees: 2 %, at least 16 MiB (host) or 128 MiB (GPU).
Bytes RamGuard(Bytes budget);
Bytes VramGuard(Bytes budget);
// Those, or what the config says; and of the memory that the network is in, three times the most
// that a confirming run took above its prediction.
Bytes RamGuardOf(const PlanInput& input, Bytes budget);
Bytes VramGuardOf(const PlanInput& input, Bytes budget);

}  // namespace az
