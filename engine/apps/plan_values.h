#pragma once
// The config keys that a plan fills, and their values: for az_plan --explain and --write.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/plan.h"

namespace az {

// The keys, in the order of the config: "num_workers", "train.accumulate_grad_batches", ….
std::vector<std::string_view> PlannedKeys();

// The plan's value for a key, as the config writes it; nullopt for a key that this plan does not
// fill.
std::optional<std::string> PlanValue(const Plan& plan, std::string_view key);

}  // namespace az
