#pragma once
// Explains to a person why a plan's numbers are what they are.

#include <string>
#include <vector>

#include "scheduler/bill.h"
#include "scheduler/plan.h"

namespace az {

// The last step down one ladder, and the choice above it that was not possible.
struct LadderStep {
  std::string taken;              // "micro-batch 256 x 2"
  std::string before;             // "micro-batch 512 x 1"
  std::vector<std::string> keys;  // the config's keys whose numbers it changed
  PeakBytes needs;                // the memory that the plan would need with that choice
  bool lowered = false;           // taken after a failure, not for the budget
  bool failed = false;            // it ran out of memory before
};

// A size in which two plans differ.
struct SizeChange {
  std::string key;       // the config's key; empty: the size has none
  std::string text;      // "micro-batch 512 instead of 256"
  bool is_less = false;  // a step down, as a ladder takes it
};
// The sizes in which the two plans differ; texts name the size of `now` first.
std::vector<SizeChange> PlanDifferences(const Plan& now, const Plan& before);

std::vector<std::string> KeysOf(const std::vector<SizeChange>& changes);
std::vector<std::string> TextsOf(const std::vector<SizeChange>& changes);
std::vector<std::string> TextsOf(const std::vector<Reason>& reasons);

// One line per number: it is written in the config, or where it comes from. After these follow what
// `chosen` gave up compared with `ideal`, the constraint that ruled out the next better choice of
// each ladder, and warnings.
std::vector<Reason> ReasonsFor(const PlanInput& input, const Plan& ideal, const Plan& chosen,
                               const std::vector<LadderStep>& steps);

}  // namespace az
