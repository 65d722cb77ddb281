#pragma once
// Host memory that a plan needs beside its networks: worker processes and the shared segment. Pure.

#include "scheduler/plan.h"

namespace az {

// The largest anonymous memory of one worker process.
Bytes WorkerBytes(const PlanInput& input, const Plan& plan);
// The size of the shared segment (docs/formats/segment.md), rounded up.
Bytes SegmentBytes(const PlanInput& input, const Plan& plan);

}  // namespace az
