#pragma once
// A plan as a table for a person: az_plan and az_train --dry-run print it.

#include <string>

#include "scheduler/plan.h"

namespace az {

// Prints device and budget, the network, a table of phases and terms with the basis of every number
// (m measured, p predicted, a assumed), and the choices with their reasons. Ends in a newline.
std::string PlanReport(const PlanInput& input, const Plan& plan);

// Names the other processes on a GPU, the largest first: "also on the GPU: pid 812 (python3) 4.10
// GiB, pid 77 bytes unknown". Empty when there are none, the card is simulated, or there is no GPU.
std::string CoTenantsText(const DeviceFacts& device);

}  // namespace az
