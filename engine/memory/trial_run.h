#pragma once
// A trial: the processes of a plan play themselves for some seconds in a folder of their own, and
// are counted. For az_plan --sweep num_workers --measure.

#include <filesystem>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/result.h"
#include "engine/config/run_config.h"
#include "games/game_ops.h"
#include "scheduler/plan.h"

namespace az {

struct Trial {
  double moves_per_s = 0;
  double rows_per_s = 0;
  Bytes memory;  // of all processes, at most, anonymous and the segment
};

struct TrialSetup {
  const RunConfig& config;  // these outlive the call
  const GameOps& game;
  const Clock& clock;
  std::filesystem::path programs;  // folder of az_worker and az_device
  Duration warm_up = std::chrono::seconds(2);
  Duration window = std::chrono::seconds(4);
};

// Starts everything with a fresh network, plays self-play games, ends everything. Blocks for the
// window and a few seconds. The calling thread must be the process's only one. Fails as
// ProcessFleet; kStopped by a signal. Nothing is left behind.
Result<Trial> RunTrial(const TrialSetup& setup, const Plan& plan);

}  // namespace az
