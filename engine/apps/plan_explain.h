#pragma once
// az_plan --explain KEY: the value of a config key in the plan, the reason for it, and what would
// change it. All of it comes from planning again with one thing changed.

#include <string_view>

#include "base/result.h"
#include "engine/apps/plan_section.h"
#include "engine/apps/plan_setup.h"

namespace az {

// Fails with kInvalid when there is no such key; the message names the nearest one.
Result<PlanSection> Explain(const PlanArguments& arguments, const PlanSetup& setup,
                            const Plan& plan, std::string_view key);

}  // namespace az
