#pragma once
// A plan as a table for a person: az_plan and az_train --dry-run print it.

#include <string>

#include "scheduler/plan.h"

namespace az {

// Device and budget, the network, a table of phases and terms with the basis of every number (m
// measured, p predicted, a assumed), the choices and their reasons. Ends in a newline.
std::string PlanReport(const PlanInput& input, const Plan& plan);

// Who else is on a GPU, the largest first: "also on the GPU: pid 812 (python3) 4.10 GiB, pid 77
// bytes unknown". Empty: nobody, a card that is simulated, or no GPU.
std::string CoTenantsText(const DeviceFacts& device);

}  // namespace az
