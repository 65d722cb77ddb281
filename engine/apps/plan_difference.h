#pragma once
// Describes in words how two plans differ. For az_plan.

#include <string>
#include <string_view>

#include "scheduler/plan.h"

namespace az {

inline constexpr std::string_view kSamePlan = "nothing changes";

// The differences: "num_workers 16; device memory 800 MiB -> 1.20 GiB", or kSamePlan.
std::string PlanDifference(const Plan& from, const Plan& to);

}  // namespace az
