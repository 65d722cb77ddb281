#pragma once
// The errors of planning: wishes that contradict the device, and plans of which not even the
// smallest fits, with the phase, its largest terms and the smallest budget that would do.

#include "base/result.h"
#include "scheduler/planner.h"

namespace az {

// The budgets as written in the config, or their defaults.
MemorySize RamBudgetWish(const PlanInput& input);
MemorySize VramBudgetWish(const PlanInput& input);

// Fails with kInvalid when the input asks for more than there is or for what the device cannot do.
Result<void> CheckInput(const PlanInput& input, const Budgets& budgets);

// The smallest device budget, in whole MiB, that `smallest`, a plan for a GPU, fits.
Bytes LeastVram(const PlanInput& input, const Plan& smallest);
// The kNoMemory error for `smallest`; it speaks of the GPU when that is what is too small.
Error NothingFits(const PlanInput& input, const Plan& smallest);

}  // namespace az
