#pragma once
// The part of a plan that the device process is told.

#include "engine/process/messages.h"
#include "scheduler/plan.h"

namespace az {

DevicePlanMessage DevicePlanOf(const Plan& plan);

}  // namespace az
