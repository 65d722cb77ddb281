#pragma once
// yardstick.jsonl: the curve of a run's strength against an exact solver, a line a look at a
// network. The training loop and az_bench yardstick --run write the same lines; each says how it
// was measured, for looks of different settings are different curves.

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/result.h"
#include "engine/run/metrics.h"
#include "engine/run/run_points.h"
#include "games/solvers/yardstick_measure.h"

namespace az {

struct YardstickSettings {
  int sims = 0;             // of the search that is measured
  MeasureOptions measured;  // positions, games and their seed
  std::string search;       // options away from their defaults (SearchText); empty: none
};
// {"settings":{"sims":64,…}}: a part of every line.
std::string ToJson(const YardstickSettings& settings);

// Whose strength a line is of.
struct YardstickSubject {
  std::uint32_t iteration = 0;  // iterations done when it was made, or looked at
  std::string network;          // its checkpoint, "iter_000012"
};

// A line of the curve; the loop's lines in metrics.jsonl are the same. Fails as MetricsLine::Merge.
Result<MetricsLine> YardstickPoint(const YardstickSubject& subject, const RunCost& cost,
                                   const YardstickSettings& settings,
                                   const YardstickReport& report);

// Thread-compatible.
class YardstickCurve {
 public:
  // Reads what is in it; lines that are no look (a kill tears one now and then), or do not say how
  // they were measured (of older builds), count for nothing. kIo.
  static Result<YardstickCurve> Open(const std::filesystem::path& file);

  // Whether that network was measured so, after that iteration.
  bool Holds(const YardstickSubject& subject, const YardstickSettings& settings) const;
  // `line`: a YardstickPoint of them. kNoSpace, kIo.
  Result<void> Append(const YardstickSubject& subject, const YardstickSettings& settings,
                      const MetricsLine& line);

 private:
  using Key = std::tuple<std::uint32_t, std::string, std::string>;  // settings as ToJson says them

  explicit YardstickCurve(MetricsFile file) : file_(std::move(file)) {}

  MetricsFile file_;
  std::set<Key> looks_;
};

}  // namespace az
