#pragma once
// Plan: the sizes a run is started with, chosen to fit a budget, and the bill that shows why they
// fit. A value: made by the planner, carried out by the loop, printed by az_plan and --dry-run.
// Also what the planner decides from.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/describe.h"
#include "scheduler/memory_options.h"
#include "scheduler/net_shape.h"
#include "scheduler/precision.h"

namespace az {

enum class DeviceKind : std::uint8_t { kCpu, kCuda };
template <>
struct EnumNames<DeviceKind> {
  static constexpr std::array<std::pair<DeviceKind, std::string_view>, 2> value = {
      {{DeviceKind::kCpu, "cpu"}, {DeviceKind::kCuda, "cuda"}}};
};

// How a number came about. Every number of a bill says.
enum class Basis : std::uint8_t {
  kMeasured,   // on a machine like this; docs/memory.md says where
  kPredicted,  // a formula over the shape
  kAssumed,    // a prior; no better than an educated guess
};
template <>
struct EnumNames<Basis> {
  static constexpr std::array<std::pair<Basis, std::string_view>, 3> value = {
      {{Basis::kMeasured, "measured"},
       {Basis::kPredicted, "predicted"},
       {Basis::kAssumed, "assumed"}}};
};

enum class PlanPhase : std::uint8_t { kSelfPlay, kTrain, kArena, kPublish };
inline constexpr int kNumPlanPhases = 4;
template <>
struct EnumNames<PlanPhase> {
  static constexpr std::array<std::pair<PlanPhase, std::string_view>, 4> value = {
      {{PlanPhase::kSelfPlay, "self_play"},
       {PlanPhase::kTrain, "train"},
       {PlanPhase::kArena, "arena"},
       {PlanPhase::kPublish, "publish"}}};
};

// ---- what the planner is given
// ------------------------------------------------------------------------------------

struct DeviceFacts {
  DeviceKind kind = DeviceKind::kCpu;
  std::string name = "cpu";
  bool simulated = false;     // a card that is not there: every report says so
  int cores = 1;              // affinity and cgroup quota, whichever is less
  Bytes ram{};                // host memory the run may count on before any budget
  Bytes vram{};               // of a GPU: free before the start
  bool fast_bf16 = false;     // the device multiplies bf16 natively
  double assumed_tflops = 0;  // of a GPU in bf16, for predicted times; 0 = unknown
};

struct GameFacts {
  int words = 0;      // 64-bit words of a position's bit planes
  int branching = 0;  // children of an expanded node, at most
  int max_plies = 0;
};

// The numbers of the config that a plan needs. Auto ones are open; the others were written by the
// person.
struct PlanWishes {
  Auto<int> num_workers;
  Auto<int> arena_workers;
  Auto<int> slots;
  Auto<int> runners;
  Auto<int> max_batch;
  Auto<int> accumulate;
  Auto<bool> cuda_graphs;
  Auto<Precision> inference_precision;
  Auto<Precision> train_precision;
  int batch = 512;
  int prefetch = 2;
  std::int64_t window_positions = 0;  // the replay window at its largest
  int visits = 200;
  int arena_visits = 200;
  Bytes cache;  // evaluation cache of a worker
  MemoryOptions memory;
};

struct PlanInput {
  DeviceFacts device;
  NetShape net;
  GameFacts game;
  PlanWishes wishes;
};

// ---- what it decides
// ----------------------------------------------------------------------------------------------

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
  bool cuda_graphs = false;
  Bytes cache;         // evaluation cache of a worker
  Bytes worker_bytes;  // predicted anonymous memory of a worker

  Bytes ram_budget;
  Bytes ram_guard;    // kept free of the budget
  Bytes vram_budget;  // 0 on a CPU
  Bytes vram_guard;
  std::vector<PhaseBill> ram;   // a bill per phase; on a CPU the device's terms are in here
  std::vector<PhaseBill> vram;  // empty on a CPU

  double predicted_rows_per_s = 0;  // of the inference server, assumed rates
  int host_rungs = 0;  // steps taken down each ladder (ladder.h); 0 = nothing was given up
  int inference_rungs = 0;
  int train_rungs = 0;
  std::vector<std::string> reasons;  // why each number is what it is, one a line
};

}  // namespace az
