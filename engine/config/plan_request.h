#pragma once
// Turns a config and a device into the planner's input, and options into a network's shape and
// back.

#include <string_view>

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

// The key of the budget for the memory that networks on such a device are in.
std::string_view BudgetKey(DeviceKind device);

// Sets that budget to `text`, the value of a program's --budget. Fails with kInvalid, naming the
// option.
Result<void> SetBudget(std::string_view text, DeviceKind device, RunConfig& config);

}  // namespace az
