#pragma once
// The planner: from facts, wishes and budgets to a Plan, before anything is started. Pure: no
// clock, no files, whole bytes; the same input gives the same plan. Nothing is ever planned above a
// budget, and a larger budget never gives up more (docs/adr/0006).

#include "base/result.h"
#include "scheduler/plan.h"

namespace az {

// Makes the cheapest plan that fits (Price). Numbers that the config leaves open are given up
// first, numbers written in it only with on_overcommit: degrade; Plan::reasons explains each. Where
// a GPU is too small and the config does not ask for it by name, the plan is for the processor and
// says so. Fails with kInvalid when written numbers contradict the device, or do not fit and
// on_overcommit is refuse. Fails with kNoMemory when not even the smallest plan fits; the message
// has the phase, its largest terms and the smallest budget that would do.
Result<Plan> MakePlan(const PlanInput& input);

// The input for the processor in place of a GPU that is too small: without what was measured and
// given up there, and without the wishes that only a GPU can fulfil. MakePlan continues with it,
// and later plans of such a run are made from it. REQUIRES: input.without_gpu.
PlanInput WithoutGpu(PlanInput input);

struct Budgets {
  Bytes ram;
  Bytes vram;  // 0 without a GPU
};
// The budgets that the config asks for; by default all of the free VRAM and 85 % of the host
// memory.
Budgets BudgetsOf(const PlanInput& input);

// The part of a budget that is kept free for what no formula sees: 2 %, and at least 16 MiB (host)
// or 128 MiB (GPU).
Bytes RamGuard(Bytes budget);
Bytes VramGuard(Bytes budget);
// The guards that a plan has: those above or the config's, and for the memory that holds the
// network at least three times the most by which a confirming run exceeded its prediction.
Bytes RamGuardOf(const PlanInput& input, Bytes budget);
Bytes VramGuardOf(const PlanInput& input, Bytes budget);

}  // namespace az
