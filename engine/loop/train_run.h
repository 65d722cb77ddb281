#pragma once
// One start of az_train: from a config that was read to the end of the run or to a signal. The
// program around it only parses.

#include <filesystem>
#include <string>

#include "base/exit_codes.h"
#include "engine/config/config_reader.h"
#include "engine/loop/panel_players.h"
#include "engine/loop/progress.h"
#include "engine/loop/run_dir.h"
#include "games/game_ops.h"
#include "scheduler/plan.h"

namespace az {

struct TrainRunOptions {
  RunDir::Mode mode = RunDir::Mode::kResume;
  DisplayStyle style = DisplayStyle::kLines;
  bool colour = false;
  std::filesystem::path programs;  // folder of az_worker and az_device
  ConfigOrigins origins;           // of the config's values, for errors
};

// Prints to standard output what a person sees, and errors to standard error. Returns the program's
// exit code: 128 + n after a signal n that stopped the run in good order. REQUIRES: the process has
// one thread.
int RunTraining(const RunConfig& config, const TrainRunOptions& options);

// The plan that this machine gives the config, with what was measured here earlier: what
// RunTraining starts with, and --dry-run prints. `programs` as in the options; without it nothing
// that was measured is used. `needs`: of matches.
struct PlannedRun {
  const GameOps* game = nullptr;
  PlanInput input;
  Plan plan;
  // engine.device of this run: the config's, or cpu where `auto` found a GPU that is too small.
  std::string engine_device;
  std::string probe_refused;  // as KeptProbe::refused
  Panel panel;                // of PlanTraining
};
Result<PlannedRun> PlanRun(const RunConfig& config, const std::filesystem::path& programs = {},
                           const MatchNeeds& needs = {});
// The same with the players of arena.panel; fails as ReadPanel too.
Result<PlannedRun> PlanTraining(const RunConfig& config, const std::filesystem::path& programs);

}  // namespace az
