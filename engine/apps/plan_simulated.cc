#include "engine/apps/plan_simulated.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/strings.h"
#include "scheduler/simulated_phases.h"
#include "scheduler/text_table.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

std::string InMiB(Bytes bytes) {
  return Fixed(static_cast<double>(bytes.count()) / static_cast<double>(MiB(1).count()), 0);
}

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
               StrCat(Fixed(100 * phase.fragmentation, 0), " %"), outcome});
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

}  // namespace az
