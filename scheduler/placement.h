#pragma once
// Placement: which phases of a run with a GPU go to the processor, because the config asks for it
// or because nothing smaller is left to give up. A process of their own serves them while the GPU's
// process is gone (CpuPart), so these phases take nothing of the GPU and the others are unchanged.

#include <vector>

#include "scheduler/plan.h"

namespace az {

// The placements to try: first the one that the config asks for, then, with on_overcommit: degrade,
// the more costly ones. A run without a GPU has a single, empty one.
std::vector<CpuPart> PlacementsOf(const PlanInput& input);
// Price::moved for the phases that `part` has on the processor without being asked to.
int MovedPrice(const PlanInput& input, const CpuPart& part);

// The input from which the process on the processor beside a GPU is planned and billed. Sizes that
// are written for the GPU do not count; the workers are those of the GPU's plan; sizes that failed
// on the processor are kept.
PlanInput InputOnCpu(const PlanInput& input, const CpuPart& part);
// The part of the GPU plan that this process carries out. REQUIRES: TakeOnCpu was called.
Plan PlanOnCpu(const Plan& plan);
// Copies the sizes of this process into the GPU plan, with which it shares workers and games.
void TakeOnCpu(const Plan& on_cpu, Plan& plan);

// The placement's lines for Plan::reasons. `why`: what was wrong with the placements tried before;
// empty: the config asks for this one.
std::vector<Reason> PlacementReasons(const Plan& plan, std::string_view why);

}  // namespace az
