#pragma once
// yardstick.jsonl: the curve of a run's strength against an exact solver, a line an iteration that
// was looked at, each once.

#include <cstdint>
#include <filesystem>
#include <set>
#include <utility>

#include "base/result.h"
#include "engine/loop/metrics.h"

namespace az {

// Thread-compatible.
class YardstickCurve {
 public:
  // Reads which iterations are in it; lines that are no look (a kill tears one now and then) count
  // for nothing. kIo.
  static Result<YardstickCurve> Open(const std::filesystem::path& file);

  bool Holds(std::uint32_t iteration) const { return iterations_.contains(iteration); }
  // `line` has "iteration". kNoSpace, kIo.
  Result<void> Append(std::uint32_t iteration, const MetricsLine& line);

 private:
  explicit YardstickCurve(MetricsFile file) : file_(std::move(file)) {}

  MetricsFile file_;
  std::set<std::uint32_t> iterations_;
};

}  // namespace az
