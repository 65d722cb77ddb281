#pragma once
// What a plan costs, phase by phase and term by term. Pure; used by the planner to test a candidate
// and kept in the Plan.

#include <vector>

#include "scheduler/plan.h"

namespace az {

// Host memory of the whole process tree, a bill per phase; with device cpu the network's memory is
// in it.
std::vector<PhaseBill> RamBill(const PlanInput& input, const Plan& plan);
// Memory of the GPU; empty with device cpu.
std::vector<PhaseBill> VramBill(const PlanInput& input, const Plan& plan);

// The totals of the largest phases, as the bills have them, without making the bills.
Bytes RamPeak(const PlanInput& input, const Plan& plan);
Bytes VramPeak(const PlanInput& input, const Plan& plan);  // 0 with device cpu
struct PeakBytes {
  Bytes ram;
  Bytes vram;
};
PeakBytes PeaksOf(const PlanInput& input, const Plan& plan);

// Plan::allocator_cap of a plan whose budgets and guards are set.
Bytes AllocatorCap(const PlanInput& input, const Plan& plan);

// The largest total of the phases; 0B for none.
Bytes Peak(const std::vector<PhaseBill>& bills);

// Of a sum: the weakest basis of its terms. Of the peak: that of the first largest phase.
Basis BasisOfTotal(const PhaseBill& bill);
Basis BasisOfPeak(const std::vector<PhaseBill>& bills);

}  // namespace az
