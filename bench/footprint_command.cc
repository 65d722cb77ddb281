#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/strings.h"
#include "bench/commands.h"
#include "bench/footprint_measure.h"
#include "engine/net/capped_cpu_allocator.h"
#include "engine/net/cpu_runner.h"

namespace az {
namespace {

std::string FormOf(const FootprintCase& c) {
  std::string form(EnumName(c.precision));
  if (c.trains && c.checkpoint_blocks > 0) form += StrCat(" k=", c.checkpoint_blocks);
  if (!c.trains)
    form += c.kernels == NetKernels::kDirect  ? " direct"
            : c.kernels == NetKernels::kTiles ? " tiles"
                                              : " onednn";
  return form;
}

void PrintJson(const FootprintCase& c, const FootprintFigure& figure) {
  const NetShape& s = c.shape;
  const nlohmann::ordered_json line = {
      {"bench", "footprint"},
      {"net", c.name},
      {"form", FormOf(c)},
      {"rows", c.rows},
      {"phase", figure.phase},
      {"traced_bytes", figure.traced.count()},
      {"predicted_bytes", figure.predicted.count()},
      {"reserved_bytes", figure.reserved.count()},
      {"planned_bytes", figure.planned.count()},
      {"shape",
       {s.planes, s.rows, s.cols, s.actions, s.filters, s.res_blocks, s.heads, s.attention_blocks,
        s.global_pool_every}}};
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

void PrintRow(const FootprintCase& c, const FootprintFigure& figure) {
  std::printf("| %s | %s | %d | %s | %s | %s |", c.name.c_str(), FormOf(c).c_str(), c.rows,
              figure.phase, FormatBytes(figure.traced).c_str(),
              FormatBytes(figure.predicted).c_str());
  if (figure.traced > Bytes()) {
    std::printf(" %+.1f %% |\n", 100 * figure.error());
  } else {
    std::printf(" |\n");
  }
}

// The errors of a phase over all cases.
struct Errors {
  std::vector<double> signed_errors;
  int uncovered = 0;  // cases that took more than is planned for

  double At(double share) const {  // quantile of the absolute errors
    std::vector<double> sorted;
    for (const double error : signed_errors) sorted.push_back(std::abs(error));
    std::ranges::sort(sorted);
    const auto last = static_cast<double>(sorted.size() - 1);
    return sorted[static_cast<std::size_t>(std::ceil(share * last))];
  }
};

void PrintSummary(const std::map<std::string, Errors>& phases) {
  std::printf(
      "\n| phase | figures | median error | p95 | lowest | highest | above the plan |\n"
      "|---|--:|--:|--:|--:|--:|--:|\n");
  for (const auto& [phase, errors] : phases) {
    const auto [low, high] = std::ranges::minmax(errors.signed_errors);
    std::printf("| %s | %zu | %.1f %% | %.1f %% | %+.1f %% | %+.1f %% | %d |\n", phase.c_str(),
                errors.signed_errors.size(), 100 * errors.At(0.5), 100 * errors.At(0.95), 100 * low,
                100 * high, errors.uncovered);
  }
}

}  // namespace

Result<void> RunFootprintBench(BenchArgs& args) {
  const bool json = args.TakeFlag("--json");
  const bool small = args.TakeFlag("--small");
  const bool summary = args.TakeFlag("--summary");
  AZ_RETURN_IF_ERROR(args.Finish());
  InstallCappedCpuAllocator();
  UseOneTorchThread();
  if (!json && !summary) {
    std::printf(
        "| net | form | rows | phase | traced | predicted | error |\n"
        "|---|---|--:|---|--:|--:|--:|\n");
  }
  std::map<std::string, Errors> phases;
  for (const FootprintCase& c : FootprintCases(small ? FootprintSet::kSmall : FootprintSet::kAll)) {
    AZ_ASSIGN_OR_RETURN(const std::vector<FootprintFigure> figures, TraceFootprint(c));
    for (const FootprintFigure& figure : figures) {
      if (json) PrintJson(c, figure);
      if (!json && !summary) PrintRow(c, figure);
      if (figure.traced == Bytes() && figure.predicted == Bytes()) continue;
      phases[figure.phase].signed_errors.push_back(figure.error());
      phases[figure.phase].uncovered += figure.reserved > figure.planned;
    }
  }
  if (!json) PrintSummary(phases);
  return {};
}

}  // namespace az
