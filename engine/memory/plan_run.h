#pragma once
// The plan that a run starts with: what this machine gives its config, and what earlier starts have
// learned. One way for az_train and az_arena.

#include <filesystem>
#include <string>

#include "base/result.h"
#include "engine/config/run_config.h"
#include "engine/memory/match_needs.h"
#include "engine/run/memory_state.h"
#include "games/game_ops.h"
#include "scheduler/plan.h"

namespace az {

struct PlannedRun {
  const GameOps* game = nullptr;
  PlanInput input;
  Plan plan;
  // engine.device of this run: the config's, or cpu where `auto` found a GPU that is too small.
  std::string engine_device;
  std::string probe_refused;  // as KeptProbe::refused
};

// The plan that this machine gives the config, with what was measured here earlier: what a run is
// started with, and az_train --dry-run prints. `programs`: the folder of az_device; without it
// nothing that was measured is used. `needs`: of matches. Fails as FindGame, ChooseDevice and
// MakePlan.
Result<PlannedRun> PlanRun(const RunConfig& config, const std::filesystem::path& programs = {},
                           const MatchNeeds& needs = {});

// The plan of this input, and the input that plans to come are made from: for the processor where
// `input.without_gpu` had to stand in. Fails as MakePlan.
Result<PlannedRun> PlanOn(const GameOps& game, PlanInput input, std::string engine_device);

// What earlier starts in the run's folder have learned of its memory comes into force: `planned`
// follows what was learned on its device. What older builds learned was on the device of
// `plan_file`, the folder's plan.json as the last start left it; where that cannot be read, on this
// one. Returns a line about it for the person; empty: nothing is given up.
std::string PlanWithLearned(const std::filesystem::path& plan_file, MemoryState& learned,
                            PlannedRun& planned);

}  // namespace az
