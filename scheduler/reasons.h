#pragma once
// Why a plan's numbers are what they are, for a person.

#include <string>
#include <vector>

#include "scheduler/bill.h"
#include "scheduler/plan.h"

namespace az {

// The last step down one ladder, and the choice above it that did not go.
struct LadderStep {
  std::string taken;              // "micro-batch 256 x 2"
  std::string before;             // "micro-batch 512 x 1"
  std::vector<std::string> keys;  // of the config, whose numbers it changed
  PeakBytes needs;                // of the plan with that choice
  bool lowered = false;           // taken after a failure, not for the budget
  bool failed = false;            // it ran out of memory before
};

// A size in which two plans differ.
struct SizeChange {
  std::string key;       // of the config; empty: the size has none
  std::string text;      // "micro-batch 512 instead of 256"
  bool is_less = false;  // a step down, as a ladder takes it
};
// Those of `now` in front.
std::vector<SizeChange> PlanDifferences(const Plan& now, const Plan& before);

std::vector<std::string> KeysOf(const std::vector<SizeChange>& changes);
std::vector<std::string> TextsOf(const std::vector<SizeChange>& changes);
std::vector<std::string> TextsOf(const std::vector<Reason>& reasons);

// One a number: written in the config, or where it comes from; then what `chosen` gave up against
// `ideal` with the constraint that removed the next better choice of each ladder, and warnings.
std::vector<Reason> ReasonsFor(const PlanInput& input, const Plan& ideal, const Plan& chosen,
                               const std::vector<LadderStep>& steps);

}  // namespace az
