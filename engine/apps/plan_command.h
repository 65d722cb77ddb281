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

// Returns the output of --cards: the table of docs/memory.md, in Markdown, that shows what fits onto
// cards of 4 to 80 GB. The same on every machine: the cards are simulated, the hosts made up.
Result<std::string> CardsMarkdown();

}  // namespace az
