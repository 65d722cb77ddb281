#pragma once
// az_inspect run: shows how far a run is, what its journals hold, and its health.

#include <filesystem>
#include <string>

#include "base/result.h"

namespace az {

// Returns one line per fact, or one JSON object. Lines that begin with "note:" (in JSON "notes")
// report what is damaged or missing in the journals. Fails as ReadRunState, LoadConfig and
// LaneJournals::Open do.
Result<std::string> InspectRun(const std::filesystem::path& dir, bool as_json);

}  // namespace az
