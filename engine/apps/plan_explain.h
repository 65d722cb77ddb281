#pragma once
// az_plan --explain KEY: what a config key is in the plan, why, and what would change. Everything
// said here comes from planning again with one thing changed.

#include <string_view>

#include "base/result.h"
#include "engine/apps/plan_section.h"
#include "engine/apps/plan_setup.h"

namespace az {

// kInvalid: no such key; the message names the nearest one.
Result<PlanSection> Explain(const PlanArguments& arguments, const PlanSetup& setup,
                            const Plan& plan, std::string_view key);

}  // namespace az
