#pragma once
// az_plan --write: writes the config with the plan's numbers in place of auto.

#include <filesystem>

#include "base/result.h"
#include "engine/apps/plan_setup.h"
#include "scheduler/plan.h"

namespace az {

// The text of a config that az_train takes; comments say where its numbers come from. Planning with
// it again on the same device gives the same numbers.
Result<std::string> TunedConfig(const PlanSetup& setup, const Plan& plan);

// Writes that text. Fails with kInvalid when the file exists and was not written by this function,
// and with kIo.
Result<void> WriteTunedConfig(const PlanSetup& setup, const Plan& plan,
                              const std::filesystem::path& file);

}  // namespace az
