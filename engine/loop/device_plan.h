#pragma once
// The part of a plan that the device process is told.

#include "engine/config/options.h"
#include "engine/loop/rungs.h"
#include "engine/process/messages.h"
#include "scheduler/plan.h"

namespace az {

// For the process that serves this phase: on the processor if the plan has it there. `engine`: of
// the run's config, for which GPU; never auto to the process, which might see another device than
// the one the sizes are for.
DevicePlanMessage DevicePlanOf(const Plan& plan, const EngineOptions& engine,
                               PlanPhase phase = PlanPhase::kSelfPlay);
// What a successor is told of a process that gave something up after failures: the sizes in force
// replace those of the plan. `in_force.largest_bucket` 0 = the plan's.
DevicePlanMessage Lowered(DevicePlanMessage plan, const SizesInForce& in_force);
TrainMessage Lowered(TrainMessage training, const SizesInForce& in_force);

}  // namespace az
