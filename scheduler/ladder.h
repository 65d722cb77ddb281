#pragma once
// Ladders: what a plan gives up, step by step, when memory is short (docs/memory.md, The planner).
// A ladder is a list of plans, each one rung below the one before, the harmless steps first. It
// does not depend on any budget, which makes the planner monotone. A ladder has only steps that the
// engine can carry out.

#include <string>
#include <vector>

#include "scheduler/plan.h"

namespace az {

// Sets a lane's blocks and rows so that each of plan.slots has a row, as far as a lane can hold
// them.
void FitLane(Plan& plan);
// Sets the buckets: powers of two from 8 up to `largest`, and `largest` itself.
void FitBuckets(Plan& plan, int largest);
// Sets micro_batch from plan.accumulate and plan.learner_shards.
void FitMicroBatch(const PlanInput& input, Plan& plan);

inline constexpr int kRowsPerBlock = 32;  // unless a lane needs more
// The most blocks of a lane. The fleet asserts that the segment's layout (engine/ipc/layout.h)
// agrees.
inline constexpr int kMostBlocks = 8;
inline constexpr int kMostRowsPerBlock = 64;
inline constexpr int kGoodMicroBatch = 64;  // with fewer rows batch norm gets noisy

struct Rung {
  Plan plan;        // this ladder's sizes; those of other ladders are the ideal plan's
  int written = 0;  // steps so far that changed a number written in the config
  int quality = 0;  // steps so far that cost quality of learning
  // Names the number that the last step changed, as a plan has it: "micro-batch 256 x 2". Null on
  // the first rung.
  std::string (*what)(const Plan& plan) = nullptr;
};

// The three ladders each begin with `ideal` itself. They change first the numbers that the config
// leaves open; those that it fixes follow only with on_overcommit: degrade.

// Host memory: evaluation cache, slots, worker counts.
std::vector<Rung> HostLadder(const PlanInput& input, const Plan& ideal);
// CUDA graphs, buckets, runners of a CPU, bf16 where it is fast.
std::vector<Rung> InferenceLadder(const PlanInput& input, const Plan& ideal);
// bf16 where it is fast, micro-batches down to kGoodMicroBatch rows, checkpointing, fewer learner
// shards, smaller micro-batches.
std::vector<Rung> TrainLadder(const PlanInput& input, const Plan& ideal);

// Copies the sizes that a ladder changes from a rung into a plan.
void TakeHost(const Plan& rung, Plan& plan);
void TakeInference(const Plan& rung, Plan& plan);
void TakeTraining(const Plan& rung, Plan& plan);

}  // namespace az
