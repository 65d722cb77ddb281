#include "engine/run/run_points.h"

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

// -1: there is none.
double NumberAt(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? found->get<double>() : -1;
}

std::optional<std::uint32_t> IterationOf(const std::string& checkpoint) {
  unsigned iteration = 0;
  char rest = 0;
  if (std::sscanf(checkpoint.c_str(), "iter_%u%c", &iteration, &rest) != 1) return std::nullopt;
  return iteration;
}

}  // namespace

std::map<std::uint32_t, RunCost> RunCosts(const std::filesystem::path& metrics) {
  std::map<std::uint32_t, RunCost> costs = {{0, {}}};
  std::uint64_t evaluations = 0;
  std::ifstream lines(metrics);
  for (std::string text; std::getline(lines, text);) {
    const auto line = nlohmann::json::parse(text, nullptr, false);
    if (!line.is_object() || NumberAt(line, "iteration") < 0 || !line.contains("kind") ||
        line["kind"] != "iteration") {
      continue;
    }
    const auto done = static_cast<std::uint32_t>(NumberAt(line, "iteration")) + 1;
    if (costs.contains(done)) continue;
    evaluations += static_cast<std::uint64_t>(std::max(0.0, NumberAt(line, "evaluations")));
    costs[done] = {.elapsed_s = NumberAt(line, "elapsed_s"), .evaluations = evaluations};
  }
  return costs;
}

Result<std::vector<RunPoint>> RunPoints(const std::filesystem::path& run) {
  const std::map<std::uint32_t, RunCost> costs = RunCosts(run / "metrics.jsonl");
  std::vector<RunPoint> points;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(run / "checkpoints", code)) {
    const std::string name = entry.path().filename().string();
    const std::optional<std::uint32_t> iteration = IterationOf(name);
    if (!iteration || !costs.contains(*iteration)) continue;
    points.push_back({.checkpoint = name, .iteration = *iteration, .cost = costs.at(*iteration)});
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
