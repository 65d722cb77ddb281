#pragma once
// Prints configs: YAML that reads back identically, the same with the origin of each value for
// --print-config, and docs/config.md.

#include <string>

#include "engine/config/config_reader.h"

namespace az {

// Every option, those at their default included. ReadConfigText turns it back into an equal config.
// It is the run directory's config.yaml.
std::string ToYaml(const RunConfig& config);

// The same, with a comment behind each value that names its origin: default, file:line, or --set.
std::string PrintConfig(const LoadedConfig& loaded);

// The text of docs/config.md: one table per section with type, range, default, meaning, and whether
// a resumed run may change the option.
std::string ConfigMarkdown();

}  // namespace az
