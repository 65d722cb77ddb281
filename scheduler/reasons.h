#pragma once
// Why a plan's numbers are what they are, for a person.

#include <string>
#include <vector>

#include "scheduler/plan.h"

namespace az {

// One line a number: written in the config, or where it comes from; then what `chosen` gave up
// against `ideal`, and warnings.
std::vector<std::string> ReasonsFor(const PlanInput& input, const Plan& ideal, const Plan& chosen);

}  // namespace az
