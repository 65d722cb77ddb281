#pragma once
// A plan as JSON: az_plan --json and the run directory's plan.json.

#include <string>

#include "scheduler/plan.h"

namespace az {

// One JSON object with units in the names and a basis for every number of the bill; "schema": 3.
// Ends in a newline.
std::string PlanJson(const PlanInput& input, const Plan& plan);

}  // namespace az
