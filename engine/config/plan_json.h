#pragma once
// A plan as JSON: az_plan --json and the run directory's plan.json.

#include <string>
#include <string_view>

#include "base/result.h"
#include "scheduler/plan.h"

namespace az {

// Prints one JSON object with units in the names and a basis for every number of the bill;
// "schema": 4. Ends in a newline.
std::string PlanJson(const PlanInput& input, const Plan& plan);

// The device that a plan's JSON text, of any schema, is for. Fails with kCorrupt when it names
// none.
Result<DeviceKind> DeviceOfPlanJson(std::string_view text);

}  // namespace az
