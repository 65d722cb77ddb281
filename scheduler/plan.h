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

// How a number came about. Every number of a bill says; a sum has the weakest of its parts.
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

// One phase's memory of one kind. total = sum of the terms.
struct PhaseBill {
  PlanPhase phase = PlanPhase::kSelfPlay;
  std::vector<BillTerm> terms;
  Bytes total() const {
    Bytes sum;
    for (const BillTerm& term : terms) sum += term.bytes;
    return sum;
  }
};

// What a plan gives up against the one that free memory would allow, the dearest first: phases on
// the GPU, numbers written in the config, quality of learning, time.
struct Price {
  int moved = 0;              // unasked on the processor: 1 the arena, 2 training
  int written = 0;            // steps that change a number of the config
  int quality = 0;            // steps that make batch norm noisy
  int slowdown_permille = 0;  // predicted, of self-play and training together; 1 a step at least
  friend constexpr auto operator<=>(const Price&, const Price&) = default;
};

// Phases whose networks run on the processor although there is a GPU. A device process of their own
// serves them in the place of the GPU's, which ends: nothing of the run is on the GPU meanwhile.
struct CpuPart {
  bool arena = false;  // gate and final matches
  bool train = false;  // the training sizes of the plan are then the processor's
  int runners = 1;     // of that process
  std::vector<int> buckets;
  Precision inference_precision = Precision::kFp32;
  Bytes allocator_cap;

  bool any() const { return arena || train; }
  bool Serves(PlanPhase phase) const {
    return (phase == PlanPhase::kArena && arena) || (phase == PlanPhase::kTrain && train);
  }
};

// What a line about a plan's numbers says.
enum class ReasonKind : std::uint8_t {
  kChosen,      // where a number comes from
  kFallback,    // another device than the one asked for
  kGivenUp,     // a number that free memory would have made larger
  kConstraint,  // what stood in the way of the next better choice
  kPrice,       // what all that was given up costs
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
  std::vector<std::string> keys;  // of the config, whose numbers it is about; may be none
  std::string text;
  friend bool operator==(const Reason&, const Reason&) = default;
};

struct Plan {
  DeviceKind device = DeviceKind::kCpu;
  int num_workers = 1;
  int arena_workers = 1;
  int lanes = 1;             // the larger of the two
  int slots = 64;            // games a worker plays at a time
  int blocks = 4;            // of a lane
  int rows = 32;             // of a block
  int runners = 1;           // CPU inference threads; batches in flight on a GPU
  std::vector<int> buckets;  // rising batch sizes
  int learner_shards = 1;
  int micro_batch = 512;  // rows of one shard's forward
  int accumulate = 1;     // micro_batch x accumulate x learner_shards covers train.batch
  Precision inference_precision = Precision::kFp32;
  Precision train_precision = Precision::kFp32;
  // Residual blocks of a segment that the backward pass recomputes; 0 = all activations are kept.
  int checkpoint_blocks = 0;
  bool cuda_graphs = false;
  ArenaModels arena_models = ArenaModels::kInTurn;
  ModelSharing model_sharing = ModelSharing::kShared;
  CpuPart on_cpu;      // beside a GPU
  Bytes cache;         // evaluation cache of a worker
  Bytes worker_bytes;  // predicted anonymous memory of a worker

  Bytes ram_budget;
  Bytes ram_guard;    // kept free of the budget
  Bytes vram_budget;  // 0 on a CPU
  Bytes vram_guard;
  // What the allocator of the device process may hold: on a GPU the budget without the context and
  // the guard, on a CPU the budget without the other processes and the guard.
  Bytes allocator_cap;
  std::vector<PhaseBill> ram;   // a bill per phase; on a CPU the device's terms are in here
  std::vector<PhaseBill> vram;  // empty on a CPU

  double predicted_rows_per_s = 0;  // of the inference server
  double predicted_step_ms = 0;     // of an optimizer step
  Basis rates = Basis::kAssumed;    // of these two
  int host_rungs = 0;  // steps taken down each ladder (ladder.h); 0 = nothing was given up
  int inference_rungs = 0;
  int train_rungs = 0;
  Price price;
  std::vector<Reason> reasons;  // why each number is what it is
};

}  // namespace az
