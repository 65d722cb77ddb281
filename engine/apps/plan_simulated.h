#pragma once
// az_plan --simulate: the layout of the plan's phases on the simulated card, as a section of the
// report.

#include <string>

#include "engine/apps/plan_section.h"
#include "scheduler/plan.h"

namespace az {

// REQUIRES: the plan is for a simulated card, and SimulatePhases returns phases for it.
PlanSection SimulatedSection(const PlanInput& input, const Plan& plan);

// The differences in layout: "self_play 690 -> 813 MiB and 0 -> 20 % fragmented, ...; laid out on a
// SIMULATED card". Empty when there are none, or no GPU.
std::string LayoutDifference(const PlanInput& from_input, const Plan& from,
                             const PlanInput& to_input, const Plan& to);

}  // namespace az
