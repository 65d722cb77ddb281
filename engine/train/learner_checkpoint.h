#pragma once
// Checkpoint folders: what the learner needs to go on bit for bit, and the weights that play. A
// folder appears whole or not at all: it is written under another name and renamed.
//
//   iter_000012/weights.safetensors   averaged weights with statistics (engine/net/checkpoint.h)
//               learner.safetensors   trained weights with statistics, both moments of AdamW, and
//                                     of heads that only training has the averaged weights
//               learner.json          counters, checksummed
//
// No random stream is kept: every draw of training depends on (run seed, iteration, step) alone.
// docs/formats/checkpoint.md describes the files.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/data/sample_ratio.h"
#include "engine/train/learner_state.h"
#include "games/game_ops.h"
#include "scheduler/net_shape.h"

namespace az {

inline constexpr int kLearnerFormat = 1;
inline constexpr std::string_view kLearnerTensorsFile = "learner.safetensors";
inline constexpr std::string_view kLearnerCountersFile = "learner.json";

struct LearnerCheckpoint {
  std::uint32_t iteration = 0;  // trainings behind it: 0 is a fresh network
  SampleRatio::State ratio;
  LearnerState state;  // on the CPU
};

// What a checkpoint must belong to.
struct CheckpointIdentity {
  NetShape shape;
  std::string game;  // registry entry
  std::uint64_t game_hash = 0;

  static CheckpointIdentity Of(const NetShape& shape, const GameInfo& game);
};

// Writes the folder, replacing one of this name (a training that is done again writes the same).
// kNoSpace, kIo: `folder` is as before. kNotFinite: the averaged weights are not.
Result<void> SaveCheckpoint(const std::filesystem::path& folder, const CheckpointIdentity& identity,
                            const LearnerCheckpoint& checkpoint);

// kNotFound: no such folder or file. kCorrupt: a damaged file, or files of two checkpoints.
// kIncompatible: of another format, network or game; both are told.
Result<LearnerCheckpoint> LoadCheckpoint(const std::filesystem::path& folder,
                                         const CheckpointIdentity& identity);

// Checkpoint of iteration 0: a fresh network, its draws from `seed`.
Result<void> CreateInitialCheckpoint(const std::filesystem::path& folder,
                                     const CheckpointIdentity& identity, std::uint64_t seed);

}  // namespace az
