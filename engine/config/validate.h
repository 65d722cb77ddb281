#pragma once
// Rules over several options, or over an option and the list of games. Its Range checks each value
// alone.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/config/run_config.h"
#include "games/game_ops.h"

namespace az {

// A broken rule. `keys` are the options it is about, the one to look at first in front.
struct ConfigFault {
  std::vector<std::string> keys;
  std::string text;  // "net.num_heads = 6 must divide net.num_filters = 128"
};

// The game that a config names. Fails as FindGame does.
Result<const GameOps*> GameOf(const GameOptions& game);

// All broken rules; empty when the config can be run. Pure.
std::vector<ConfigFault> Validate(const RunConfig& config);

// The fault of run.name as the name of a new run's folder, if it has one. Runs that exist may have
// other names.
std::optional<ConfigFault> FaultOfNewName(const RunOptions& run);

}  // namespace az
