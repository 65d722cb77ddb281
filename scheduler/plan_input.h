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

// How the two models of a match share the device: in turn, with one batch buffer for both, or
// concurrently, with twice as many batches in flight.
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
  std::int64_t pid = 0;          // in a container the host's number
  std::string name{};            // empty: unknown
  std::optional<Bytes> bytes{};  // nullopt: the driver does not tell
};

struct DeviceFacts {
  DeviceKind kind = DeviceKind::kCpu;
  std::string name = "cpu";
  std::string uuid;            // a GPU's; empty: unknown
  bool simulated = false;      // the card does not exist; every report says so
  int cores = 1;               // by affinity or cgroup quota, whichever is less
  Bytes ram{};                 // host memory that the run may count on, before any budget
  Bytes vram{};                // a GPU's memory that is free before the start
  Bytes vram_total{};          // all of a GPU's memory; 0 = unknown
  bool fast_bf16 = false;      // the device multiplies bf16 natively
  bool cpu_fast_bf16 = false;  // the processor does, which may be that device
  double assumed_tflops = 0;   // a GPU's in bf16, for predicted times; 0 = unknown
  // Processes on a GPU, the largest first; nullopt: the driver lists none. `vram` does not include
  // their memory.
  std::optional<std::vector<CoTenant>> co_tenants{};
  // Where a processor stands in for a GPU that cannot be used: the reason.
  std::string gpu_fault{};
};

struct GameFacts {
  int words = 0;      // 64-bit words of a position's bit planes
  int branching = 0;  // the most children of an expanded node
  int max_plies = 0;
};

// Bytes of a tree node without anything kept beside it (mcts/node.h).
inline constexpr int kNodeBytes = 32;

// The numbers of the config that a plan needs. The planner chooses those that are auto; a person
// wrote the others.
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
  std::int64_t window_positions = 0;  // the replay window's largest size
  bool merges_positions = false;      // equal positions of the window are one sample
  bool weighs_positions = false;      // some positions are drawn more often than others
  bool matches_alone = false;         // a tournament: the arena is the only phase
  int visits = 200;
  int arena_visits = 200;
  int rollout_visits = 0;       // simulations of a pure-MCTS player in matches; 0: none plays
  Bytes timed_tree;             // the tree of a network that plays matches by time; 0: none does
  int node_bytes = kNodeBytes;  // per node of a search tree, with everything kept beside it
  Bytes cache;                  // each worker's evaluation cache
  Bytes solver;                 // an exact solver in the supervisor; 0: none
  MemoryOptions memory;
};

// The steps of each ladder (ladder.h) that failures on `PlanInput::device` have cost: the plan
// stays so many rungs below what would fit. Failures on the processor beside a GPU cost no steps,
// they are only listed as failed sizes.
struct RungsTaken {
  int train = 0;
  int inference = 0;
  int host = 0;
  friend constexpr bool operator==(const RungsTaken&, const RungsTaken&) = default;
};

// Sizes that ran out of memory, whatever was predicted. While they are listed, nothing that needs
// at least as much is planned in their place.
struct FailedSizes {
  PlanPhase phase = PlanPhase::kTrain;
  int rows = 0;  // at a time: the micro-batches of all shards together, or a bucket
  Precision precision = Precision::kFp32;
  int checkpoint_blocks = 0;  // a training step's
  bool on_cpu = false;        // the networks were on the processor, with or without a GPU
  friend constexpr bool operator==(const FailedSizes&, const FailedSizes&) = default;
};

struct PlanInput {
  DeviceFacts device;
  NetShape net;
  // Networks of other players that matches load beside `net`, one per player, with the same planes
  // and actions. Empty: both players of a match have `net`.
  std::vector<NetShape> match_nets;
  GameFacts game;
  PlanWishes wishes;
  Calibration calibration;
  RungsTaken rungs;
  std::vector<FailedSizes> failed;
  // The processor that takes the GPU's place when not even the smallest plan fits there; nullopt:
  // the config asks for that GPU by name.
  std::optional<DeviceFacts> without_gpu;
};

}  // namespace az
