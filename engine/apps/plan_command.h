#pragma once
// The work of az_plan, from arguments to text.

#include <string>

#include "base/result.h"
#include "engine/apps/plan_setup.h"

namespace az {

// Returns what az_plan prints: the plan and everything else that the arguments ask for, as text or
// as one JSON object. Writes the file of --write. Fails as SetUpPlan and MakePlan do, and with
// kInvalid for a bad argument.
Result<std::string> PlanCommand(const PlanArguments& arguments);

}  // namespace az
