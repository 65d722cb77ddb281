#pragma once
// Which config keys a plan fills, and with what: for az_plan --explain and --write.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/plan.h"

namespace az {

// "num_workers", "train.accumulate_grad_batches", …, in the order of the config.
std::vector<std::string_view> PlannedKeys();

// The plan's value of a key, as the config writes it; empty for a key that this plan does not fill.
std::optional<std::string> PlanValue(const Plan& plan, std::string_view key);

}  // namespace az
