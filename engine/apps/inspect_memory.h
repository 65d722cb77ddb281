#pragma once
// az_inspect memory: shows how a run used memory, from its plan.json, state.json and metrics.jsonl.

#include <filesystem>
#include <string>

#include "base/result.h"

namespace az {

// Returns a table of phases (predicted, peak by part, freed), another one for the GPU's memory if
// there is a GPU, the layers at the last boundary, the cost of monitoring, the rungs given up and
// the events, in words; or all of it as one JSON object. Works while the run goes on. Lines of
// metrics.jsonl that are no JSON are skipped, as a kill can tear one. A key that is missing or of
// another type is shown as unknown, as 0, or not at all. Fails as ReadRunState does, and with
// kCorrupt for a damaged plan.json.
Result<std::string> InspectMemory(const std::filesystem::path& dir, bool as_json);

}  // namespace az
