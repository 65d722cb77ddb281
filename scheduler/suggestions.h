#pragma once
// What a person could change to need less memory, and what more memory would buy: each answer is
// the plan with one thing changed.

#include <string>
#include <vector>

#include "scheduler/plan.h"

namespace az {

// One key of the config set to another value, everything else as in the plan.
struct Suggestion {
  std::string key;  // "train.gradient_checkpointing"
  std::string from;
  std::string to;
  Bytes ram_saved;  // of the peak, predicted
  Bytes vram_saved;
  int slowdown_permille = 0;      // predicted, of self-play and training together
  bool changes_learning = false;  // what is learned, not only how fast
};

// Those that save at least 1 MiB of the peak; first those that leave learning as it is, then the
// most saved for the time they cost, in the memory that is the fuller one.
std::vector<Suggestion> Suggest(const PlanInput& input, const Plan& plan);

// "train.gradient_checkpointing: off -> on saves 1.2 GiB of device memory, about 31 % slower".
std::string SuggestionText(const Suggestion& suggestion);

// What `more` of each memory would buy, a line each ("1 GiB more host memory: micro-batch 512
// instead of 256"), or that it buys nothing. Pure, like the planner.
std::vector<std::string> WhatMoreBuys(const PlanInput& input, const Plan& plan, Bytes more);

}  // namespace az
