#pragma once
// The part of a plan that the device process is told, and the sizes that it works with.

#include "engine/config/options.h"
#include "engine/process/messages.h"
#include "scheduler/plan.h"

namespace az {

// For the process that serves this phase: on the processor if the plan has it there. `engine`: of
// the run's config, for which GPU; never auto to the process, which might see another device than
// the one the sizes are for.
DevicePlanMessage DevicePlanOf(const Plan& plan, const EngineOptions& engine,
                               PlanPhase phase = PlanPhase::kSelfPlay);

// The sizes that the device works with. It takes rungs by itself while a phase runs, so they may be
// below those of the plan.
struct SizesInForce {
  int micro_batch = 0;
  int checkpoint_blocks = 0;
  int largest_bucket = 0;
};
SizesInForce SizesOf(const Plan& plan);
// `in_force` becomes what the device says it works with now.
void Follow(const OomMessage& oom, SizesInForce& in_force);
// What a successor is told of a process that gave something up after failures: the sizes in force
// replace those of the plan. `in_force.largest_bucket` 0 = the plan's.
DevicePlanMessage Lowered(DevicePlanMessage plan, const SizesInForce& in_force);
TrainMessage Lowered(TrainMessage training, const SizesInForce& in_force);

}  // namespace az
