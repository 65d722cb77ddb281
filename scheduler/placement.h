#pragma once
// Placement: which phases of a run with a GPU go to the processor, because the config asks for it
// or because nothing smaller is left to give up. A process of their own serves them while the GPU's
// is gone (CpuPart), so such a phase takes nothing of the GPU and the other ones are as before.

#include <vector>

#include "scheduler/plan.h"

namespace az {

// The placements to try: the wished one first, then, with on_overcommit: degrade, the dearer ones.
// One that is empty for a run without a GPU.
std::vector<CpuPart> PlacementsOf(const PlanInput& input);
// Price::moved of what `part` has on the processor beyond what is wished.
int MovedPrice(const PlanInput& input, const CpuPart& part);

// What plans, and bills, the process on the processor beside a GPU: sizes that are written for the
// GPU do not count. The workers are those of the GPU's plan. What failed on the processor stays.
PlanInput InputOnCpu(const PlanInput& input, const CpuPart& part);
// The GPU plan as that process has it. REQUIRES: TakeOnCpu was called.
Plan PlanOnCpu(const Plan& plan);
// Sizes of that process into the GPU plan, whose workers and games it has.
void TakeOnCpu(const Plan& on_cpu, Plan& plan);

// Reasons of Plan::reasons. `why`: what the placements before ran into; empty: it was wished.
std::vector<Reason> PlacementReasons(const Plan& plan, std::string_view why);

}  // namespace az
