#pragma once
// Plan: the sizes a run is started with, chosen to fit a budget, and the bill that shows why they
// fit. A value: made by the planner, carried out by the loop, printed by az_plan and --dry-run.

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/describe.h"
#include "scheduler/plan_input.h"

namespace az {

// Where a number comes from. Every number of a bill has one; a sum has the weakest of its parts.
enum class Basis : std::uint8_t {
  kMeasured,   // seen on this device: exactly this size was run
  kPredicted,  // a formula over the shape, or a fit between and beyond sizes that were run
  kAssumed,    // a prior; no better than an educated guess
};
template <>
struct EnumNames<Basis> {
  static constexpr std::array<std::pair<Basis, std::string_view>, 3> value = {
      {{Basis::kMeasured, "measured"},
       {Basis::kPredicted, "predicted"},
       {Basis::kAssumed, "assumed"}}};
};

struct BillTerm {
  std::string name;  // "weights best"
  Bytes bytes;
  Basis basis = Basis::kPredicted;
};

// One phase's memory of one kind. The total is the sum of the terms.
struct PhaseBill {
  PlanPhase phase = PlanPhase::kSelfPlay;
  std::vector<BillTerm> terms;
  Bytes total() const {
    Bytes sum;
    for (const BillTerm& term : terms) sum += term.bytes;
    return sum;
  }
};

// What a plan gives up compared with the one that unlimited memory would allow, most costly first:
// phases on the GPU, numbers written in the config, quality of learning, time.
struct Price {
  int moved = 0;    // phases moved to the processor unasked: 1 the arena, 2 training
  int written = 0;  // steps that change a number of the config
  int quality = 0;  // steps that make batch norm noisy
  // Predicted slowdown of self-play and training together; at least 1 per step.
  int slowdown_permille = 0;
  friend constexpr auto operator<=>(const Price&, const Price&) = default;
};

// The phases whose networks run on the processor although there is a GPU. A device process of their
// own serves them after the GPU's process has ended, so nothing of the run is on the GPU meanwhile.
struct CpuPart {
  bool arena = false;  // gate and final matches
  bool train = false;  // training; the plan's training sizes are then the processor's
  int runners = 1;     // runners of that process
  std::vector<int> buckets;
  Precision inference_precision = Precision::kFp32;
  Bytes allocator_cap;

  bool any() const { return arena || train; }
  bool Serves(PlanPhase phase) const {
    return (phase == PlanPhase::kArena && arena) || (phase == PlanPhase::kTrain && train);
  }
};

// The subject of a line about a plan's numbers.
enum class ReasonKind : std::uint8_t {
  kChosen,      // where a number comes from
  kFallback,    // another device than the one asked for
  kGivenUp,     // a number that free memory would have made larger
  kConstraint,  // what ruled out the next better choice
  kPrice,       // what everything that was given up costs
  kWarning,     // it learns worse, or numbers of the config were changed
};
template <>
struct EnumNames<ReasonKind> {
  static constexpr std::array<std::pair<ReasonKind, std::string_view>, 6> value = {
      {{ReasonKind::kChosen, "chosen"},
       {ReasonKind::kFallback, "fallback"},
       {ReasonKind::kGivenUp, "given_up"},
       {ReasonKind::kConstraint, "constraint"},
       {ReasonKind::kPrice, "price"},
       {ReasonKind::kWarning, "warning"}}};
};

struct Reason {
  ReasonKind kind = ReasonKind::kChosen;
  std::vector<std::string> keys;  // the config's keys that the line is about; may be empty
  std::string text;
  friend bool operator==(const Reason&, const Reason&) = default;
};

struct Plan {
  DeviceKind device = DeviceKind::kCpu;
  int num_workers = 1;
  int arena_workers = 1;
  int lanes = 1;             // the larger of the two numbers of workers
  int slots = 64;            // games that a worker plays at a time
  int blocks = 4;            // per lane
  int rows = 32;             // per block
  int runners = 1;           // CPU inference threads; on a GPU batches in flight
  std::vector<int> buckets;  // rising batch sizes
  int learner_shards = 1;
  int micro_batch = 512;  // rows in one shard's forward pass
  int accumulate = 1;     // micro_batch x accumulate x learner_shards covers train.batch
  Precision inference_precision = Precision::kFp32;
  Precision train_precision = Precision::kFp32;
  // Residual blocks per segment that the backward pass recomputes; 0 = all activations are kept.
  int checkpoint_blocks = 0;
  bool cuda_graphs = false;
  ArenaModels arena_models = ArenaModels::kInTurn;
  ModelSharing model_sharing = ModelSharing::kShared;
  CpuPart on_cpu;      // phases on the processor beside a GPU
  Bytes cache;         // each worker's evaluation cache
  Bytes worker_bytes;  // each worker's predicted anonymous memory

  Bytes ram_budget;
  Bytes ram_guard;    // the part of the budget that is kept free
  Bytes vram_budget;  // 0 on a CPU
  Bytes vram_guard;
  // The most that the allocator of the device process may hold: on a GPU the budget minus context
  // and guard, on a CPU the budget minus the other processes and the guard.
  Bytes allocator_cap;
  std::vector<PhaseBill> ram;   // one bill per phase; on a CPU it includes the device's terms
  std::vector<PhaseBill> vram;  // one bill per phase; empty on a CPU

  double predicted_rows_per_s = 0;  // the inference server's rate
  double predicted_step_ms = 0;     // one optimizer step
  Basis rates = Basis::kAssumed;    // where these two come from
  int host_rungs = 0;  // steps taken down each ladder (ladder.h); 0 = nothing was given up
  int inference_rungs = 0;
  int train_rungs = 0;
  Price price;
  std::vector<Reason> reasons;  // why each number is what it is
};

}  // namespace az
