#pragma once
// What az_plan is asked, and everything a plan is made from: config, game, device.

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/config/config_reader.h"
#include "games/game_ops.h"
#include "scheduler/plan.h"

namespace az {

struct PlanArguments {
  std::string config;
  std::vector<std::string> sets;
  std::string budget;    // as memory.vram_budget takes it; of host memory on a CPU
  std::string ram;       // what is there, not a budget
  std::string simulate;  // a card that is not there
  int cores = 0;         // 0: those of this machine
  std::string compare;   // "per_worker"
  std::string sweep;     // "num_workers"
  std::string explain;   // a config key
  std::string write;     // a file
  bool measure = false;
  bool json = false;
};

struct PlanSetup {
  LoadedConfig loaded;  // with --budget in it
  const GameOps* game = nullptr;
  PlanInput input;
};

// `more_sets` are applied after those of the arguments, and after --budget. Fails: as LoadConfig;
// kInvalid for an argument that cannot be read, with its name; kUnavailable as ChooseDevice.
Result<PlanSetup> SetUpPlan(const PlanArguments& arguments,
                            const std::vector<std::string>& more_sets = {});

}  // namespace az
