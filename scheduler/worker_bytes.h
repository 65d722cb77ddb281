#pragma once
// Host memory of what a plan has beside its networks: worker processes and the shared segment.
// Pure.

#include "scheduler/plan.h"

namespace az {

// Anonymous memory of one worker process at its largest.
Bytes WorkerBytes(const PlanInput& input, const Plan& plan);
// The shared segment (docs/formats/segment.md), rounded up.
Bytes SegmentBytes(const PlanInput& input, const Plan& plan);

}  // namespace az
