#include "engine/loop/run_points.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "base/strings.h"

namespace az {
namespace {

struct Cost {
  double elapsed_s = 0;
  std::uint64_t evaluations = 0;
};

// Of every iteration done. A line that a kill made come twice counts once.
std::map<std::uint32_t, Cost> CostsOf(const std::filesystem::path& metrics) {
  std::map<std::uint32_t, Cost> costs = {{0, {}}};
  std::uint64_t evaluations = 0;
  std::ifstream lines(metrics);
  for (std::string text; std::getline(lines, text);) {
    const auto line = nlohmann::json::parse(text, nullptr, false);
    if (!line.is_object() || line.value("kind", "") != "iteration") continue;
    const auto done = line.value("iteration", std::uint32_t{0}) + 1;
    if (costs.contains(done)) continue;
    evaluations += line.value("evaluations", std::uint64_t{0});
    costs[done] = {.elapsed_s = line.value("elapsed_s", 0.0), .evaluations = evaluations};
  }
  return costs;
}

std::optional<std::uint32_t> IterationOf(const std::string& checkpoint) {
  unsigned iteration = 0;
  char rest = 0;
  if (std::sscanf(checkpoint.c_str(), "iter_%u%c", &iteration, &rest) != 1) return std::nullopt;
  return iteration;
}

}  // namespace

Result<std::vector<RunPoint>> RunPoints(const std::filesystem::path& run) {
  const std::map<std::uint32_t, Cost> costs = CostsOf(run / "metrics.jsonl");
  std::vector<RunPoint> points;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(run / "checkpoints", code)) {
    const std::string name = entry.path().filename().string();
    const std::optional<std::uint32_t> iteration = IterationOf(name);
    if (!iteration || !costs.contains(*iteration)) continue;
    const Cost& cost = costs.at(*iteration);
    points.push_back({.checkpoint = name,
                      .iteration = *iteration,
                      .elapsed_s = cost.elapsed_s,
                      .evaluations = cost.evaluations});
  }
  if (points.empty()) {
    return Error{Errc::kNotFound,
                 StrCat("read ", run.string(),
                        ": no checkpoint of an iteration (name the directory of a run; "
                        "loop.checkpoint_every says how many are kept)")};
  }
  std::ranges::sort(points, {}, &RunPoint::iteration);
  return points;
}

}  // namespace az
