#pragma once
// The kept checkpoints of a run and what it had cost to make them, from its folder alone: what a
// curve of strength is drawn over. Reads; the run may go on meanwhile.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace az {

struct RunPoint {
  std::string checkpoint;         // "iter_000012"
  std::uint32_t iteration = 0;    // iterations done when it was made
  double elapsed_s = 0;           // of the run, this iteration included
  std::uint64_t evaluations = 0;  // rows that the network had answered in it
};

// By rising iteration; checkpoints of iterations that metrics.jsonl does not hold (yet) are left
// out. kNotFound: no run, or none of its checkpoints is kept.
Result<std::vector<RunPoint>> RunPoints(const std::filesystem::path& run);

}  // namespace az
