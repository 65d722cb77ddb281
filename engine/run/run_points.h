#pragma once
// What a run has cost, iteration by iteration, and its kept checkpoints, from its folder alone:
// what a curve of strength is drawn over. Reads; the run may go on meanwhile.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace az {

struct RunCost {
  double elapsed_s = 0;  // of the run, the last iteration included
  // Rows that the network had answered in its iterations; nothing: unknown.
  std::optional<std::uint64_t> evaluations = 0;
};

// By iterations done, 0 included, from a run's metrics.jsonl. A line that a kill made come twice
// counts once.
std::map<std::uint32_t, RunCost> RunCosts(const std::filesystem::path& metrics);

struct RunPoint {
  std::string checkpoint;       // "iter_000012"
  std::uint32_t iteration = 0;  // iterations done when it was made
  RunCost cost;
};

// By rising iteration; checkpoints of iterations that metrics.jsonl does not hold (yet) are left
// out. kNotFound: no run, or none of its checkpoints is kept.
Result<std::vector<RunPoint>> RunPoints(const std::filesystem::path& run);

}  // namespace az
