#pragma once
// Why a plan's numbers are what they are, for a person.

#include <string>
#include <vector>

#include "scheduler/bill.h"
#include "scheduler/plan.h"

namespace az {

// The last step down one ladder, and the choice above it that did not go.
struct LadderStep {
  std::string taken;     // "micro-batch 256 x 2"
  std::string before;    // "micro-batch 512 x 1"
  PeakBytes needs;       // of the plan with that choice
  bool lowered = false;  // taken after a failure, not for the budget
  bool failed = false;   // it ran out of memory before
};

// The sizes in which two plans differ: "micro-batch 512 instead of 256", those of `now` in front.
std::vector<std::string> PlanDifferences(const Plan& now, const Plan& before);

// One line a number: written in the config, or where it comes from; then what `chosen` gave up
// against `ideal` with the constraint that removed the next better choice of each ladder, and
// warnings.
std::vector<std::string> ReasonsFor(const PlanInput& input, const Plan& ideal, const Plan& chosen,
                                    const std::vector<LadderStep>& steps);

}  // namespace az
