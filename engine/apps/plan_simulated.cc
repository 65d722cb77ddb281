#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "engine/apps/plan_sections.h"
#include "scheduler/simulated_phases.h"
#include "scheduler/text_table.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

std::string InMiB(Bytes bytes) {
  return Fixed(static_cast<double>(bytes.count()) / static_cast<double>(MiB(1).count()), 0);
}

std::string InPercent(double share) { return Fixed(100 * share, 0); }

}  // namespace

PlanSection SimulatedSection(const PlanInput& input, const Plan& plan) {
  TextTable table({{"phase", Align::kLeft},
                   {"predicted MiB"},
                   {"laid out MiB"},
                   {"fragmentation"},
                   {"", Align::kLeft}});
  Json json = Json::array();
  for (const SimulatedPhase& phase : SimulatePhases(input, plan)) {
    const std::string outcome = !phase.refused.empty()         ? phase.refused
                                : phase.peak == Bytes()        ? "on the processor"
                                : phase.peak > phase.predicted ? "fits with some of the guard"
                                                               : "fits";
    table.Add({std::string(EnumName(phase.phase)), InMiB(phase.predicted), InMiB(phase.peak),
               StrCat(InPercent(phase.fragmentation), " %"), outcome});
    json.push_back({{"phase", EnumName(phase.phase)},
                    {"predicted_bytes", phase.predicted.count()},
                    {"laid_out_bytes", phase.peak.count()},
                    {"fragmentation_fraction", phase.fragmentation},
                    {"fits", phase.refused.empty()},
                    {"basis", "simulated"}});
  }
  return {.name = "simulated_layout",
          .text = StrCat("laid out on the SIMULATED card, segments and rounding as LibTorch's "
                         "allocator has them\n",
                         table.Text()),
          .json = json.dump()};
}

std::string LayoutDifference(const PlanInput& from_input, const Plan& from,
                             const PlanInput& to_input, const Plan& to) {
  const std::vector<SimulatedPhase> before = SimulatePhases(from_input, from);
  const std::vector<SimulatedPhase> after = SimulatePhases(to_input, to);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const std::string peaks = StrCat(InMiB(before[i].peak), " -> ", InMiB(after[i].peak), " MiB");
    const std::string holes = StrCat(InPercent(before[i].fragmentation), " -> ",
                                     InPercent(after[i].fragmentation), " % fragmented");
    if (before[i].peak == after[i].peak &&
        InPercent(before[i].fragmentation) == InPercent(after[i].fragmentation) &&
        before[i].refused.empty() == after[i].refused.empty()) {
      continue;
    }
    parts.push_back(StrCat(EnumName(after[i].phase), " ", peaks, " and ", holes,
                           after[i].refused.empty() ? "" : " (does not fit)"));
  }
  if (parts.empty()) return "";
  return StrCat(Join(parts, ", "), "; laid out on a SIMULATED card");
}

}  // namespace az
