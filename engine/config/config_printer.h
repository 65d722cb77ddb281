#pragma once
// A config as text: YAML that reads back identically, the same with origins for --print-config, and
// docs/config.md.

#include <string>

#include "engine/config/config_reader.h"

namespace az {

// Every option, also those at their default. ReadConfigText of it gives an equal config: the run
// directory's config.yaml.
std::string ToYaml(const RunConfig& config);

// The same with a comment behind each value that says where it comes from: default, file:line, or
// --set.
std::string PrintConfig(const LoadedConfig& loaded);

// docs/config.md: a table per section with type, range, default, meaning, and whether a resumed run
// may change it.
std::string ConfigMarkdown();

}  // namespace az
