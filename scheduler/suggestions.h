#pragma once
// Suggestions: what a person could change to need less memory, and what more memory would buy. Each
// answer comes from the plan with one thing changed.

#include <string>
#include <vector>

#include "scheduler/plan.h"

namespace az {

// One key of the config set to another value, with everything else as in the plan.
struct Suggestion {
  std::string key;  // "train.gradient_checkpointing"
  std::string from;
  std::string to;
  Bytes ram_saved;  // the peak's predicted decrease
  Bytes vram_saved;
  int slowdown_permille = 0;      // predicted, self-play and training together
  bool changes_learning = false;  // changes what is learned, not only how fast
};

// The suggestions that save at least 1 MiB of the peak. Those that leave learning as it is come
// first; among equals those that save the most, in the fuller of the two memories, for the time
// they cost.
std::vector<Suggestion> Suggest(const PlanInput& input, const Plan& plan);

// "train.gradient_checkpointing: off -> on saves 1.2 GiB of device memory, about 31 % slower".
std::string SuggestionText(const Suggestion& suggestion);

// What `more` of each memory would buy, one line each ("1 GiB more host memory: micro-batch 512
// instead of 256"), or that it would buy nothing. Pure, like the planner.
std::vector<std::string> WhatMoreBuys(const PlanInput& input, const Plan& plan, Bytes more);

}  // namespace az
