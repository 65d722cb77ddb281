#pragma once
// Turns a config and a device into the planner's input, and options into a network's shape and
// back.

#include "base/result.h"
#include "engine/config/run_config.h"
#include "games/game_ops.h"
#include "scheduler/plan.h"

namespace az {

// The network that these options ask for in this game. REQUIRES: the config has passed Validate.
NetShape NetShapeFor(const NetOptions& options, const GameInfo& game);

// The same with the heads that only training has, if this run trains them.
NetShape NetShapeFor(const RunConfig& config, const GameInfo& game);

// The options that give a network this shape, without the precision.
NetOptions NetOptionsFor(const NetShape& shape);

// The planner's input for this config. REQUIRES: the config has passed Validate.
PlanInput PlanInputFor(const RunConfig& config, const GameInfo& game, const DeviceFacts& device);

}  // namespace az
