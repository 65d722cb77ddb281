#pragma once
// az_inspect run: where a run stands, what its journals hold, and its health.

#include <filesystem>
#include <string>

#include "base/result.h"

namespace az {

// A line a fact, or one JSON object. What is damaged or missing of the journals is told of in lines
// that begin with "note:", in JSON as "notes". Fails as ReadRunState, LoadConfig and
// LaneJournals::Open.
Result<std::string> InspectRun(const std::filesystem::path& dir, bool as_json);

}  // namespace az
