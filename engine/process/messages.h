#pragma once
// The control channel's messages: JSON objects, one a line, at most 64 KiB, over one socketpair a
// child. Typed here; text in messages.cc. Unknown fields are ignored, missing ones are an error.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "engine/data/game_record.h"
#include "engine/process/memory_messages.h"
#include "engine/process/probe_messages.h"
#include "engine/process/worker_counts.h"

namespace az {

// ---- both ways at start ----
struct HelloMessage {  // child -> supervisor, first line
  std::string role;    // "worker", "device"
  int lane = -1;       // workers
  std::int64_t pid = 0;
};
struct ReadyMessage {  // child -> supervisor: set up, can take work
  std::string device;  // device process: "cpu (AMD EPYC, 2 runners, bf16)"; empty for workers
};

// ---- supervisor -> worker ----
struct WorkerPlanMessage {
  int slots = 64;
  std::int64_t cache_bytes = 0;
  std::string journal_path;
  std::int64_t journal_valid_bytes = 0;  // read without an error; the rest is checked, then cut
};

enum class PlayerType : std::uint8_t { kNet, kRandom, kPureMcts, kSolver, kGtp };
struct PlayerMessage {  // from a PlayerSpec: player_message.h
  PlayerType type = PlayerType::kNet;
  int model = 0;         // model slot, for kNet
  int visits = 0;        // simulations a move; 0 = search.visits
  std::string settings;  // of engine/players/player_settings.h; go before `visits`
  std::string command;   // for kGtp
};
// Starts a phase. Self-play: player 0 plays both sides. Matches: player 0 moves first in games of
// even index, second in odd ones. A yardstick has one player. Self-play uses noise and
// temperatures; the others use neither.
struct PhaseMessage {
  std::uint64_t phase = 0;  // counts phases of this supervisor; answers carry it
  GameKind kind = GameKind::kSelfPlay;
  std::uint32_t iteration = 0;
  std::vector<PlayerMessage> players;
  double resign_threshold = 0;  // that games are noted at, and end at when `may_resign`; 0: none
  bool may_resign = false;
  int moves = 0;  // after its opening a game is cut after so many; 0: never
};
struct GrantedGame {
  std::uint64_t id = 0;               // GameId::packed
  std::vector<std::uint16_t> prefix;  // actions already committed; empty for a new game
  // First actions, prescribed (kMoveRandomOpening); empty: the players choose all.
  std::vector<std::uint16_t> opening;
  int noted_ply = -1;  // of the prefix: where a side would have resigned first; -1: nowhere
};
struct GrantMessage {  // games to play, added to the worker's queue
  std::uint64_t phase = 0;
  std::vector<GrantedGame> games;
};
// Start nothing new, let go of open games (their moves are in the journal), answer Drained.
struct DrainMessage {
  std::uint64_t phase = 0;
};

// ---- worker -> supervisor ----
struct DrainedMessage {
  std::uint64_t phase = 0;
};
// At most once a second, and before Drained; totals since the process started.
struct WorkerStatsMessage : WorkerCounts {};

// ---- supervisor -> device ----
struct DevicePlanMessage {
  std::string device;               // in place of engine.device: "cpu", "cuda:0"
  int runners = 1;                  // CPU inference threads
  std::vector<int> buckets;         // rising batch sizes
  int learner_shards = 1;           // data-parallel learner threads on a CPU
  int micro_batch = 512;            // rows a shard runs at a time
  std::string inference_precision;  // "fp32", "bf16"
  std::string train_precision;
  bool cuda_graphs = false;
  int checkpoint_blocks = 0;          // blocks a segment of gradient checkpointing; 0 = off
  std::int64_t memory_cap_bytes = 0;  // of the device's allocator; 0 = none
  bool other_networks = false;        // slots may hold networks of other sizes than the config's
  int stats_interval_ms = 1000;       // how often the device tells what it holds
};
struct LoadMessage {  // load a checkpoint's weights into a model slot and publish them
  int slot = 0;
  std::string path;           // checkpoint folder, or a weights file
  std::uint64_t version = 0;  // weights version to publish
};
struct UnloadMessage {
  int slot = 0;
};
struct LaneLimit {
  std::string path;        // journal file
  std::int64_t bytes = 0;  // read no further, so that a redone phase sees the same games
};
struct TrainMessage {
  std::uint32_t iteration = 0;
  std::string from;  // checkpoint folder to start from (weights, optimizer, counters)
  std::string to;    // checkpoint folder to write
  std::vector<LaneLimit> journals;
  std::uint32_t games_before_iteration = 0;  // self-play games of iterations below this one count
  int micro_batch = 0;                       // 0 = as in the device plan
  int checkpoint_blocks = -1;                // -1 = as in the device plan
  std::uint32_t attempt = 0;  // counts trainings of this supervisor from 1; answers carry it
};

// ---- device -> supervisor ----
struct PublishedMessage {
  int slot = 0;
  std::uint64_t version = 0;
};
struct TrainProgressMessage {
  std::uint32_t iteration = 0;
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double loss = 0;
  std::uint32_t attempt = 0;
};
struct TrainedMessage {
  std::uint32_t iteration = 0;
  std::string path;  // the checkpoint written; empty when there were too few positions to train
  std::string metrics_json;  // a JSON object for metrics.jsonl (losses, lr, window, rates)
  std::uint32_t attempt = 0;
};
struct DeviceStatsMessage {  // every stats_interval_ms; what it did is in the segment's counters
  MemoryLayersMessage memory{};
};

// ---- both ways ----
struct StopMessage {};  // finish and exit 0
struct ErrorMessage {   // child -> supervisor: what the run must end with, or a failed request
  std::string code;     // ErrcName
  std::string message;
  bool fatal = true;          // ends the run; false: answers the last load, or a train
  std::uint32_t attempt = 0;  // of that train; 0: of none
};

using ControlMessage =
    std::variant<HelloMessage, ReadyMessage, WorkerPlanMessage, PhaseMessage, GrantMessage,
                 DrainMessage, DrainedMessage, WorkerStatsMessage, DevicePlanMessage, LoadMessage,
                 UnloadMessage, TrainMessage, ReleaseMessage, PublishedMessage,
                 TrainProgressMessage, TrainedMessage, ReleasedMessage, DeviceStatsMessage,
                 OomMessage, StopMessage, ErrorMessage, ProbeMessage, ProbedMessage>;

inline constexpr std::size_t kMaxLineBytes = 64 << 10;  // without the newline

// "train_progress": what the line's type field says.
std::string_view MessageName(const ControlMessage& message);

// One line without the newline. A GrantMessage must be cut so that its line stays under 64 KiB
// (kMaxGrantActions).
std::string ToLine(const ControlMessage& message);
// kCorrupt, with the field, for a line that is too long, not JSON, of unknown type, or with a
// missing or wrong field.
Result<ControlMessage> ParseLine(std::string_view line);
// Prefix and opening actions plus kGameCost a game in one grant.
inline constexpr int kMaxGrantActions = 8000;
inline constexpr int kGameCost = 11;

}  // namespace az
