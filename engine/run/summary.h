#pragma once
// What a finished run has learned, in words, from its saved state, measured matches and metrics
// alone.

#include <string>

#include "engine/run/match_history.h"
#include "engine/run/run_dir.h"

namespace az {

// Several lines, no newline at the end. `history`: all of its matches. REQUIRES: the run is
// complete.
std::string SummaryText(const RunDir& dir, const MatchHistory& history);

}  // namespace az
