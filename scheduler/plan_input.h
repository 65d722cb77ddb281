#pragma once
// What the planner decides from: the device, the network and game, the numbers of the config, what
// was measured, and what has failed before. Plain values.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/describe.h"
#include "scheduler/calibration.h"
#include "scheduler/checkpointing.h"
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

// How the two models of a match share the device: in turn, one batch buffer for both, or
// concurrent, twice the batches in flight.
enum class ArenaModels : std::uint8_t { kInTurn, kConcurrent };
template <>
struct EnumNames<ArenaModels> {
  static constexpr std::array<std::pair<ArenaModels, std::string_view>, 2> value = {
      {{ArenaModels::kInTurn, "in_turn"}, {ArenaModels::kConcurrent, "concurrent"}}};
};

// Where the arena's networks run.
enum class ArenaMode : std::uint8_t { kGpu, kCpu };
template <>
struct EnumNames<ArenaMode> {
  static constexpr std::array<std::pair<ArenaMode, std::string_view>, 2> value = {
      {{ArenaMode::kGpu, "gpu"}, {ArenaMode::kCpu, "cpu"}}};
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

// A process that was on the GPU before the run.
struct CoTenant {
  std::int64_t pid = 0;          // in a container the host's
  std::string name{};            // empty: not known
  std::optional<Bytes> bytes{};  // empty: the driver does not tell
};

struct DeviceFacts {
  DeviceKind kind = DeviceKind::kCpu;
  std::string name = "cpu";
  std::string uuid;            // of a GPU; empty: not known
  bool simulated = false;      // a card that is not there: every report says so
  int cores = 1;               // affinity and cgroup quota, whichever is less
  Bytes ram{};                 // host memory the run may count on before any budget
  Bytes vram{};                // of a GPU: free before the start
  Bytes vram_total{};          // of a GPU: all it has; 0 = unknown
  bool fast_bf16 = false;      // the device multiplies bf16 natively
  bool cpu_fast_bf16 = false;  // so does the processor, which may be that device
  double assumed_tflops = 0;   // of a GPU in bf16, for predicted times; 0 = unknown
  // Of a GPU, the largest first; empty: the driver lists no processes. They are no part of `vram`.
  std::optional<std::vector<CoTenant>> co_tenants{};
  // Of a processor that stands in for a GPU which is there and cannot be used: why not.
  std::string gpu_fault{};
};

struct GameFacts {
  int words = 0;      // 64-bit words of a position's bit planes
  int branching = 0;  // children of an expanded node, at most
  int max_plies = 0;
};

// A node of a tree of which nothing is kept beside it (mcts/node.h).
inline constexpr int kNodeBytes = 32;

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
  Auto<Checkpointing> checkpointing;
  Auto<ArenaModels> arena_models;
  Auto<ArenaMode> arena_mode;
  int batch = 512;
  int prefetch = 2;
  std::int64_t window_positions = 0;  // the replay window at its largest
  bool merges_positions = false;      // there, equal ones are one sample
  bool weighs_positions = false;      // some are drawn more often than others
  bool matches_alone = false;         // of a tournament: the arena is the only phase
  int visits = 200;
  int arena_visits = 200;
  int rollout_visits = 0;       // of a pure-MCTS player in matches; 0: none plays
  Bytes timed_tree;             // of a network that plays matches by time; 0: none does
  int node_bytes = kNodeBytes;  // of a search tree, with what it keeps beside the node
  Bytes cache;                  // evaluation cache of a worker
  Bytes solver;                 // of an exact solver in the supervisor; 0: none
  MemoryOptions memory;
};

// How many steps of each ladder (ladder.h) failures on `PlanInput::device` have cost: that many
// below what would fit. Failures on the processor beside a GPU count as sizes alone.
struct RungsTaken {
  int train = 0;
  int inference = 0;
  int host = 0;
  friend constexpr bool operator==(const RungsTaken&, const RungsTaken&) = default;
};

// Sizes that ran out of memory, whatever was predicted. Nothing that needs at least as much is
// planned again there while it is listed.
struct FailedSizes {
  PlanPhase phase = PlanPhase::kTrain;
  int rows = 0;  // at a time: micro-batches of all shards together, or a bucket
  Precision precision = Precision::kFp32;
  int checkpoint_blocks = 0;  // of a training step
  bool on_cpu = false;        // the networks were on the processor, be there a GPU or not
  friend constexpr bool operator==(const FailedSizes&, const FailedSizes&) = default;
};

struct PlanInput {
  DeviceFacts device;
  NetShape net;
  // Networks of other players that matches load beside `net`, one a player, of the same planes and
  // actions. None: both players of a match have `net`.
  std::vector<NetShape> match_nets;
  GameFacts game;
  PlanWishes wishes;
  Calibration calibration;
  RungsTaken rungs;
  std::vector<FailedSizes> failed;
  // The processor in place of the GPU, when not even the smallest plan fits there; empty: the
  // config asks for that GPU by name.
  std::optional<DeviceFacts> without_gpu;
};

}  // namespace az
