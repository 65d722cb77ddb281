#pragma once
// az_plan's work, from arguments to text.

#include <string>

#include "base/result.h"
#include "engine/apps/plan_setup.h"

namespace az {

// What az_plan prints: the plan and what else the arguments ask for, as text or as one JSON object.
// Writes the file of --write. Fails: as SetUpPlan and MakePlan; kInvalid for an argument.
Result<std::string> PlanCommand(const PlanArguments& arguments);

}  // namespace az
