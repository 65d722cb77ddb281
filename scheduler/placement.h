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
// How many phases `part` moves to the processor beyond what is wished.
int MovedPhases(const PlanInput& input, const CpuPart& part);

// What plans, and bills, the process on the processor beside a GPU plan: the workers are that
// plan's, and sizes written for the GPU do not count.
PlanInput InputOnCpu(const PlanInput& input, const Plan& plan);
// The GPU plan as that process has it. REQUIRES: TakeOnCpu was called.
Plan PlanOnCpu(const Plan& plan);
// Sizes of that process into the GPU plan, and the numbers of workers and games that it needs.
void TakeOnCpu(const Plan& on_cpu, Plan& plan);

// Reasons of Plan::reasons. `why`: what the placements before ran into; empty: it was wished.
std::vector<Reason> PlacementReasons(const Plan& plan, std::string_view why);

}  // namespace az
