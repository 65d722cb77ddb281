#pragma once
// az_plan --simulate: the plan's phases laid out on the simulated card, as a section of the report.

#include <string>

#include "engine/apps/plan_section.h"
#include "scheduler/plan.h"

namespace az {

// REQUIRES: a plan of a simulated card that SimulatePhases has phases for.
PlanSection SimulatedSection(const PlanInput& input, const Plan& plan);

// "self_play 690 -> 813 MiB and 0 -> 20 % fragmented, ...; laid out on a SIMULATED card". Empty:
// the phases of both plans lie the same, or there is no GPU to lay them out on.
std::string LayoutDifference(const PlanInput& from_input, const Plan& from,
                             const PlanInput& to_input, const Plan& to);

}  // namespace az
