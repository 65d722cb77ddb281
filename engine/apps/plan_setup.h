#pragma once
// PlanArguments, the command line of az_plan, and PlanSetup, everything that a plan is made from:
// config, game, device.

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
  std::string budget;    // in the form of memory.vram_budget; on a CPU it is for host memory
  std::string ram;       // the host memory that there is, not a budget
  std::string simulate;  // a card that this machine need not have
  int cores = 0;         // 0: as many as this machine has
  std::string compare;   // "per_worker"
  std::string sweep;     // "num_workers"
  std::string explain;   // a config key
  std::string write;     // a file
  bool measure = false;
  bool json = false;
};

struct PlanSetup {
  LoadedConfig loaded;  // --budget included
  const GameOps* game = nullptr;
  PlanInput input;
};

// Reads the config and chooses the device. `more_sets` are applied after those of the arguments and
// after --budget. Fails as LoadConfig and ChooseDevice do, and with kInvalid, naming the argument,
// for one that cannot be read.
Result<PlanSetup> SetUpPlan(const PlanArguments& arguments,
                            const std::vector<std::string>& more_sets = {});

}  // namespace az
