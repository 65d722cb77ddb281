#pragma once
// A plan as JSON: az_plan --json and the run directory's plan.json.

#include <string>
#include <string_view>

#include "base/result.h"
#include "scheduler/plan.h"

namespace az {

// One JSON object with units in the names and a basis for every number of the bill; "schema": 4.
// Ends in a newline.
std::string PlanJson(const PlanInput& input, const Plan& plan);

// The device that such a text is a plan for; of any schema. kCorrupt: it names none.
Result<DeviceKind> DeviceOfPlanJson(std::string_view text);

}  // namespace az
