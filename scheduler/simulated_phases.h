#pragma once
// Runs a plan's phases on a simulated card: the terms of its bills are allocated there piece by
// piece, phase after phase, under the plan's cap. Shows whether rounding, segments and leftovers
// between phases fit into the slack that the plan has for them. Pure; no measurement.

#include <string>
#include <vector>

#include "base/bytes.h"
#include "scheduler/plan.h"

namespace az {

struct SimulatedPhase {
  PlanPhase phase = PlanPhase::kSelfPlay;
  Bytes predicted;           // the plan's figure
  Bytes peak;                // this process's peak on the card: context and segments
  double fragmentation = 0;  // at the end of the phase, before caches are given back
  std::string refused;       // the allocator's words; empty: everything fitted
};

// Simulates two iterations and returns the phases of the second, which begins with what the first
// has left. Empty for a plan without a GPU, and for one in which every worker has a device process.
std::vector<SimulatedPhase> SimulatePhases(const PlanInput& input, const Plan& plan);

}  // namespace az
