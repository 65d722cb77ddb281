#pragma once
// What the device process is told at its start: the run's config, its segment, the supervisor's
// plan.

#include <memory>

#include "base/result.h"
#include "engine/config/run_config.h"
#include "engine/data/journal_format.h"
#include "engine/ipc/segment.h"
#include "engine/process/child_setup.h"
#include "engine/process/messages.h"
#include "games/game_ops.h"
#include "scheduler/net_shape.h"

namespace az {

struct DeviceSetup {
  RunConfig config;
  const GameOps* game = nullptr;  // lives as long as the process
  NetShape shape;
  JournalIdentity journals;  // of the run, any lane
  std::unique_ptr<Segment> segment;
  DevicePlanMessage plan;
};

// Reads config.yaml of the run folder, opens the segment and waits for the plan. kIncompatible only
// for a segment of another layout, run or game; other errors as LoadConfig, FindGame;
// kTimeout: no plan came.
Result<DeviceSetup> SetUpDevice(ChildContext& context);

}  // namespace az
