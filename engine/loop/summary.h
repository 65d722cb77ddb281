#pragma once
// What a finished run has learned, in words, from its saved state and measured matches alone.

#include <string>

#include "engine/loop/run_dir.h"

namespace az {

// Several lines, no newline at the end. REQUIRES: the run is complete.
std::string SummaryText(const RunDir& dir);

}  // namespace az
