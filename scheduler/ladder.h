#pragma once
// Ladders: what a plan gives up, step by step, when memory is short (docs/memory.md, The planner).
// A ladder is a list of plans, each a rung below the one before, the harmless steps first. It does
// not depend on any budget; that makes the planner monotone. A ladder has only steps that the
// engine can carry out.

#include <string>
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
// Of a lane, by the segment's layout (engine/ipc/layout.h), which the fleet holds them to.
inline constexpr int kMostBlocks = 8;
inline constexpr int kMostRowsPerBlock = 64;
inline constexpr int kGoodMicroBatch = 64;  // below it batch norm gets noisy

struct Rung {
  Plan plan;        // the sizes of this ladder; those of other ladders are the ideal's
  int written = 0;  // steps so far that changed a number of the config
  int quality = 0;  // and that cost quality
  // Says of a plan the number that the last step changed: "micro-batch 256 x 2"; null on the first
  // rung.
  std::string (*what)(const Plan& plan) = nullptr;
};

// Each begins with `ideal` itself. Numbers that the config leaves open come first; those it fixes
// follow only with on_overcommit: degrade.

// Host memory: evaluation cache, slots, worker counts.
std::vector<Rung> HostLadder(const PlanInput& input, const Plan& ideal);
// CUDA graphs, buckets, runners of a CPU, bf16 where it is fast.
std::vector<Rung> InferenceLadder(const PlanInput& input, const Plan& ideal);
// bf16 where it is fast, micro-batches down to kGoodMicroBatch rows, checkpointing, fewer learner
// shards, smaller micro-batches.
std::vector<Rung> TrainLadder(const PlanInput& input, const Plan& ideal);

// Takes over the sizes that a ladder is about.
void TakeHost(const Plan& rung, Plan& plan);
void TakeInference(const Plan& rung, Plan& plan);
void TakeTraining(const Plan& rung, Plan& plan);

}  // namespace az
