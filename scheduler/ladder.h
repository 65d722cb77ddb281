#pragma once
// Ladders: what a plan gives up, step by step, when memory is short (docs/memory.md section 8). A
// ladder is a list of plans, each a rung below the one before. It does not depend on any budget;
// that makes the planner monotone.

#include <vector>

#include "scheduler/plan.h"

namespace az {

// A lane's blocks and rows so that each of plan.slots has a row, as far as a lane goes.
void FitLane(Plan& plan);
// Powers of two from 8 up to `largest`, and `largest` itself.
void FitBuckets(Plan& plan, int largest);
// micro_batch from plan.accumulate and plan.learner_shards.
void FitMicroBatch(const PlanInput& input, Plan& plan);

inline constexpr int kRowsPerBlock = 32;  // without need of more
inline constexpr int kMaxBlocks = 8;      // of a lane, by the segment's layout
inline constexpr int kMaxRowsPerBlock = 64;
inline constexpr int kGoodMicroBatch = 64;  // below it batch norm gets noisy

// Each begins with `ideal` itself. Numbers that the config leaves open come first; those it fixes
// follow only with on_overcommit: degrade. Workers: evaluation cache, slots, worker counts, and on
// a CPU buckets and runners.
std::vector<Plan> HostLadder(const PlanInput& input, const Plan& ideal);
// Graphs and buckets of a GPU.
std::vector<Plan> InferenceLadder(const PlanInput& input, const Plan& ideal);
// Micro-batches down to kGoodMicroBatch rows, then fewer learner shards, then below.
std::vector<Plan> TrainLadder(const PlanInput& input, const Plan& ideal);

}  // namespace az
