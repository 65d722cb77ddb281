#pragma once
// From a config and a device to what the planner is given, and back: the plan that a run is started
// with.

#include "base/result.h"
#include "engine/config/run_config.h"
#include "games/game_ops.h"
#include "scheduler/plan.h"

namespace az {

// The network that these options ask for on this game. REQUIRES: a config that passed Validate.
NetShape NetShapeFor(const NetOptions& options, const GameInfo& game);

// The same with the heads that only training has, if this run trains any.
NetShape NetShapeFor(const RunConfig& config, const GameInfo& game);

// The options that give a network this shape; no precision.
NetOptions NetOptionsFor(const NetShape& shape);

// REQUIRES: a config that passed Validate.
PlanInput PlanInputFor(const RunConfig& config, const GameInfo& game, const DeviceFacts& device);

}  // namespace az
