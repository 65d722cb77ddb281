#pragma once
// Two plans, and what is different, in words. For az_plan.

#include <string>

#include "scheduler/plan.h"

namespace az {

// "num_workers 16; device memory 800 MiB -> 1.20 GiB", or "nothing changes".
std::string PlanDifference(const Plan& from, const Plan& to);

}  // namespace az
