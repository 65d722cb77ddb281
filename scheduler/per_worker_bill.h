#pragma once
// What the usual design would take: every self-play and arena process with its own network and its
// own CUDA context, training in the main process. Nobody runs it here; it is the bill beside ours
// (az_plan --compare per_worker, docs/memory.md).
//
//   main     context + workspace + 24 P + batch (A + Bwd), fp32, kept cached through the run
//   unit(j)  context + Seg(workspace + j (4 P + 4 N) + 8 rows of activations), a process of j
//   networks Seg(x)   2 MiB + x in steps of 20 MiB: what a caching allocator takes for it

#include <vector>

#include "scheduler/plan.h"

namespace az {

inline constexpr int kPerWorkerRows = 8;  // rows a process evaluates at a time
// Processes of the usual design where the config leaves their number to a plan.
inline constexpr int kUsualWorkers = 10;
inline constexpr int kUsualArenaWorkers = 4;

struct PerWorkerPhase {
  PlanPhase phase = PlanPhase::kSelfPlay;
  int processes = 0;
  int contexts = 0;      // CUDA contexts; 0 on a CPU
  int models = 0;        // networks, of all processes together
  Bytes context;         // of all contexts
  Bytes torch;           // of all allocators, on the device
  Bytes device;          // both; 0 on a CPU
  Bytes device_at_most;  // with contexts of the large prior
  Bytes host;
};

struct PerWorkerBill {
  int workers = 0;  // billed: written in the config, else the usual design's
  int arena_workers = 0;
  std::vector<PerWorkerPhase> phases;  // self_play, train, arena, publish
  // Self-play processes that fit the budgets beside the main one, without an arena; -1: no limit
  // of that kind.
  int most_by_device = -1;
  int most_by_device_at_most = -1;  // with contexts of the large prior
  int most_by_host = -1;
};

// For the worker counts of `plan` that the config writes, kUsualWorkers and kUsualArenaWorkers
// where it says auto; against the budgets of `plan` without a guard, as the usual design has none.
PerWorkerBill MakePerWorkerBill(const PlanInput& input, const Plan& plan);

// Both designs beside each other, a row a phase, and which memory runs out first at how many
// workers. Ends in a newline.
std::string ComparisonReport(const PlanInput& input, const Plan& plan);

}  // namespace az
