#pragma once
// What a person is told of wishes that contradict the device, and when not even the smallest plan
// fits: the phase, its largest terms and the least budget that would do.

#include "base/result.h"
#include "scheduler/planner.h"

namespace az {

// The budgets as written, or what they are when open.
MemorySize RamBudgetWish(const PlanInput& input);
MemorySize VramBudgetWish(const PlanInput& input);

// kInvalid: more than there is, or what the device cannot do.
Result<void> CheckInput(const PlanInput& input, const Budgets& budgets);

// The least device budget, in whole MiB, under which `smallest`, a plan for a GPU, has room there.
Bytes LeastVram(const PlanInput& input, const Plan& smallest);
// kNoMemory, of the GPU when that is what is too small.
Error NothingFits(const PlanInput& input, const Plan& smallest);

}  // namespace az
