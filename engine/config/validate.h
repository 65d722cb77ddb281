#pragma once
// Rules over several options, or over an option and the games there are. Each value alone is
// checked by its Range.

#include <optional>
#include <string>
#include <vector>

#include "engine/config/run_config.h"

namespace az {

// A broken rule. `keys` are the options it speaks of, the one to look at first in front.
struct ConfigFault {
  std::vector<std::string> keys;
  std::string text;  // "net.num_heads = 6 must divide net.num_filters = 128"
};

// Empty when the config can be run. Pure.
std::vector<ConfigFault> Validate(const RunConfig& config);

// Whether run.name may name the folder of a run that begins; runs of before may have other names.
std::optional<ConfigFault> FaultOfNewName(const RunOptions& run);

}  // namespace az
