#pragma once
// The plan that a training starts with: a run's, with room for the players of its panel.

#include <filesystem>

#include "base/result.h"
#include "engine/config/run_config.h"
#include "engine/loop/panel_players.h"
#include "engine/memory/plan_run.h"

namespace az {

struct PlannedTraining : PlannedRun {
  Panel panel;
};

// What az_train starts with, and az_train --dry-run prints. Fails as ReadPanel and PlanRun.
Result<PlannedTraining> PlanTraining(const RunConfig& config,
                                     const std::filesystem::path& programs);

}  // namespace az
