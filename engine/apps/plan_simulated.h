#pragma once
// az_plan --simulate: the plan's phases laid out on the simulated card, as a section of the report.

#include "engine/apps/plan_section.h"
#include "scheduler/plan.h"

namespace az {

// REQUIRES: a plan of a simulated card that SimulatePhases has phases for.
PlanSection SimulatedSection(const PlanInput& input, const Plan& plan);

}  // namespace az
