#pragma once
// az_inspect memory: what a run's memory did, from its plan.json, state.json and metrics.jsonl.

#include <filesystem>
#include <string>

#include "base/result.h"

namespace az {

// A table of phases (predicted, peak by part, freed), one more of the GPU's memory if there is one,
// the layers at the last boundary, what monitoring cost, the rungs given up and the events, in
// words; or one JSON object. Works while the run goes on. Fails as ReadRunState; kCorrupt for a
// damaged plan.json. Lines of metrics.jsonl that are no JSON are skipped: a kill can tear one. A
// key that is missing or of another type is told as unknown, 0 or left out.
Result<std::string> InspectMemory(const std::filesystem::path& dir, bool as_json);

}  // namespace az
