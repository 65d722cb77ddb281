#pragma once
// A plan's phases on a simulated card: what its bill says is allocated there piece by piece, phase
// after phase, under the plan's cap. Shows whether rounding, segments and what stays between phases
// fit into the slack that the plan has for them. Pure; no measurement.

#include <string>
#include <vector>

#include "base/bytes.h"
#include "scheduler/plan.h"

namespace az {

struct SimulatedPhase {
  PlanPhase phase = PlanPhase::kSelfPlay;
  Bytes predicted;           // by the plan
  Bytes peak;                // of the card, by this process: context and segments
  double fragmentation = 0;  // at the end of the phase, before caches go back
  std::string refused;       // the allocator's words; empty: all of it fitted
};

// Two iterations; the phases of the second one, which begins with what the first has left. Empty
// for a plan without a GPU, and for one in which every worker has a device process.
std::vector<SimulatedPhase> SimulatePhases(const PlanInput& input, const Plan& plan);

}  // namespace az
