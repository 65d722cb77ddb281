#include "engine/train/learner_checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "base/files.h"
#include "base/strings.h"
#include "engine/net/checkpoint.h"
#include "engine/net/network.h"
#include "engine/net/torch_guard.h"

namespace az {
namespace {

using nlohmann::json;

// A flat array of the state and the prefix of its tensors in learner.safetensors.
struct Group {
  const char* prefix;
  at::Tensor LearnerState::*array;
  std::vector<FlatEntry> FlatLayout::*entries;
};
constexpr Group kGroups[] = {
    {"weights/", &LearnerState::weights, &FlatLayout::weights},
    {"statistics/", &LearnerState::statistics, &FlatLayout::statistics},
    {"first_moment/", &LearnerState::first_moment, &FlatLayout::weights},
    {"second_moment/", &LearnerState::second_moment, &FlatLayout::weights},
};

// Of the averaged weights, those that weights.safetensors leaves out.
constexpr const char* kAveragePrefix = "average/";

std::uint32_t ChecksumOf(const std::string& text) { return Crc32c(std::as_bytes(std::span(text))); }

// Floating-point numbers are exact: json writes the shortest text that reads back the same.
json CountersOf(const LearnerCheckpoint& checkpoint) {
  const LearnerState& state = checkpoint.state;
  return {{"iteration", checkpoint.iteration},
          {"steps", state.steps},
          {"samples", state.samples},
          {"skipped_steps", state.skipped_steps},
          {"rate_factor", state.rate.factor},
          {"returns", state.rate.returns},
          {"good_trainings", state.rate.good_trainings},
          {"known_fraction", state.rate.known},
          {"sample_ratio",
           {{"inserted_positions", checkpoint.ratio.inserted},
            {"sampled_positions", checkpoint.ratio.sampled}}}};
}

void ReadCounters(const json& counters, LearnerCheckpoint& checkpoint) {
  LearnerState& state = checkpoint.state;
  counters.at("iteration").get_to(checkpoint.iteration);
  counters.at("steps").get_to(state.steps);
  counters.at("samples").get_to(state.samples);
  counters.at("skipped_steps").get_to(state.skipped_steps);
  counters.at("rate_factor").get_to(state.rate.factor);
  // Not in checkpoints written before the rate could climb back.
  state.rate.returns = counters.value("returns", std::int64_t{0});
  state.rate.good_trainings = counters.value("good_trainings", std::int64_t{0});
  state.rate.known = counters.value("known_fraction", 0.0);
  counters.at("sample_ratio").at("inserted_positions").get_to(checkpoint.ratio.inserted);
  counters.at("sample_ratio").at("sampled_positions").get_to(checkpoint.ratio.sampled);
}

Result<void> SaveCounters(const std::filesystem::path& file, const LearnerCheckpoint& checkpoint) {
  const json counters = CountersOf(checkpoint);
  const json document = {
      {"format", kLearnerFormat}, {"crc32c", ChecksumOf(counters.dump())}, {"counters", counters}};
  return WriteFileAtomic(file, document.dump(2) + "\n");
}

Result<void> LoadCounters(const std::filesystem::path& file, LearnerCheckpoint& checkpoint) {
  AZ_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  const std::string what = StrCat("load learner counters ", file.string());
  try {
    const json document = json::parse(text);
    const int format = document.at("format").get<int>();
    if (format != kLearnerFormat) {
      return Error{Errc::kIncompatible,
                   StrCat(what, ": format version ", format, ", this build reads ", kLearnerFormat,
                          " (use the build that wrote it)")};
    }
    const json& counters = document.at("counters");
    if (document.at("crc32c").get<std::uint32_t>() != ChecksumOf(counters.dump())) {
      return Error{Errc::kCorrupt, StrCat(what,
                                          ": the checksum differs, the file is damaged "
                                          "(remove the checkpoint to use an older one)")};
    }
    ReadCounters(counters, checkpoint);
    return {};
  } catch (const json::exception& error) {
    return Error{Errc::kCorrupt, StrCat(what, ": ", error.what())};
  }
}

Result<void> SaveTensors(const std::filesystem::path& file, const FlatLayout& layout,
                         const LearnerCheckpoint& checkpoint) {
  std::vector<NamedTensor> tensors;
  for (const Group& group : kGroups) {
    for (const FlatEntry& entry : layout.*group.entries) {
      tensors.push_back({StrCat(group.prefix, entry.name),
                         ViewOf(checkpoint.state.*group.array, entry).contiguous()});
    }
  }
  for (const FlatEntry& entry : layout.weights) {
    if (!IsTrainingOnly(entry.name)) continue;
    tensors.push_back(
        {StrCat(kAveragePrefix, entry.name), ViewOf(checkpoint.state.average, entry).contiguous()});
  }
  return WriteSafetensors(
      file, tensors,
      {{"format", StrCat(kLearnerFormat)}, {"iteration", StrCat(checkpoint.iteration)}});
}

Result<void> LoadTensors(const std::filesystem::path& file, const FlatLayout& layout,
                         LearnerCheckpoint& checkpoint) {
  AZ_ASSIGN_OR_RETURN(TensorFile content, ReadSafetensors(file));
  const std::string what = StrCat("load learner tensors ", file.string());
  if (content.metadata["iteration"] != StrCat(checkpoint.iteration)) {
    return Error{Errc::kCorrupt, StrCat(what, ": of iteration '", content.metadata["iteration"],
                                        "', the folder's counters are of ", checkpoint.iteration)};
  }
  std::unordered_map<std::string, at::Tensor> tensors;
  for (NamedTensor& item : content.tensors) tensors.emplace(item.name, std::move(item.tensor));
  const auto load = [&](const char* prefix, const FlatEntry& entry,
                        at::Tensor& flat) -> Result<void> {
    const auto found = tensors.find(StrCat(prefix, entry.name));
    if (found == tensors.end() || found->second.sizes() != entry.sizes ||
        found->second.scalar_type() != at::kFloat) {
      return Error{Errc::kIncompatible,
                   StrCat(what, ": tensor ", prefix, entry.name,
                          " is missing or of another size: the checkpoint is of another network, "
                          "or of one trained without train.opponent_weight or "
                          "train.short_term_weight (set them as then, or start over)")};
    }
    ViewOf(flat, entry).copy_(found->second);
    return {};
  };
  for (const Group& group : kGroups) {
    const bool is_weights = group.entries == &FlatLayout::weights;
    at::Tensor& flat = checkpoint.state.*group.array;
    flat = at::zeros({is_weights ? layout.weight_count : layout.statistics_count});
    for (const FlatEntry& entry : layout.*group.entries) {
      AZ_RETURN_IF_ERROR(load(group.prefix, entry, flat));
    }
  }
  for (const FlatEntry& entry : layout.weights) {
    if (!IsTrainingOnly(entry.name)) continue;
    AZ_RETURN_IF_ERROR(load(kAveragePrefix, entry, checkpoint.state.average));
  }
  return {};
}

Result<void> SavePlayingWeights(const std::filesystem::path& file, const FlatLayout& layout,
                                const CheckpointIdentity& identity,
                                const LearnerCheckpoint& checkpoint) {
  Network network(identity.shape);
  CopyFromFlat(layout, checkpoint.state.average, checkpoint.state.average_statistics, *network);
  return SaveWeights(file, WeightsOf(*network, {.shape = identity.shape,
                                                .game = identity.game,
                                                .game_hash = identity.game_hash,
                                                .iteration = checkpoint.iteration}));
}

Result<void> LoadPlayingWeights(const std::filesystem::path& file, const FlatLayout& layout,
                                const CheckpointIdentity& identity, LearnerCheckpoint& checkpoint) {
  AZ_ASSIGN_OR_RETURN(const Weights weights, LoadWeightsFor(file, identity.shape, identity.game));
  if (weights.info.game_hash != identity.game_hash) {
    return Error{Errc::kIncompatible,
                 StrCat("load weights ", file.string(), ": the planes or actions of ",
                        identity.game, " have changed since they were trained")};
  }
  if (weights.info.iteration != checkpoint.iteration) {
    return Error{Errc::kCorrupt,
                 StrCat("load weights ", file.string(), ": of iteration ", weights.info.iteration,
                        ", the folder's counters are of ", checkpoint.iteration)};
  }
  checkpoint.state.average = at::zeros({layout.weight_count});
  checkpoint.state.average_statistics = at::zeros({layout.statistics_count});
  for (const FlatEntry& entry : layout.weights) {
    if (IsTrainingOnly(entry.name)) continue;  // LoadTensors has them
    ViewOf(checkpoint.state.average, entry).copy_(weights.Get(entry.name));
  }
  for (const FlatEntry& entry : layout.statistics) {
    ViewOf(checkpoint.state.average_statistics, entry).copy_(weights.Get(entry.name));
  }
  return {};
}

Result<void> SyncFolder(const std::filesystem::path& folder) {
  const UniqueFd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || fsync(fd.get()) != 0) {
    return SystemError(StrCat("sync folder ", folder.string()), errno);
  }
  return {};
}

Result<void> WriteFiles(const std::filesystem::path& folder, const CheckpointIdentity& identity,
                        const LearnerCheckpoint& checkpoint) {
  AZ_RETURN_IF_ERROR(MakeDirectories(folder));
  Result<void> written = GuardTorch("write checkpoint", [&]() -> Result<void> {
    const at::NoGradGuard no_grad;
    const FlatLayout layout = FlatLayout::Of(*Network(identity.shape));
    AZ_RETURN_IF_ERROR(SavePlayingWeights(folder / kWeightsFile, layout, identity, checkpoint));
    AZ_RETURN_IF_ERROR(SaveTensors(folder / kLearnerTensorsFile, layout, checkpoint));
    return SaveCounters(folder / kLearnerCountersFile, checkpoint);
  });
  AZ_RETURN_IF_ERROR(std::move(written));
  return SyncFolder(folder);
}

}  // namespace

CheckpointIdentity CheckpointIdentity::Of(const NetShape& shape, const GameInfo& game) {
  return {.shape = shape, .game = game.entry, .game_hash = game.Hash()};
}

Result<void> SaveCheckpoint(const std::filesystem::path& folder, const CheckpointIdentity& identity,
                            const LearnerCheckpoint& checkpoint) {
  const std::filesystem::path parent = folder.parent_path();
  const std::filesystem::path temporary = parent / StrCat(".", folder.filename().string(), ".tmp");
  std::error_code ignored;
  std::filesystem::remove_all(temporary, ignored);  // of a process that died here
  if (Result<void> written = WriteFiles(temporary, identity, checkpoint); !written) {
    std::filesystem::remove_all(temporary, ignored);
    return WithContext(StrCat("write checkpoint ", folder.string()), std::move(written).error());
  }
  std::filesystem::remove_all(folder, ignored);  // rename replaces only an empty folder
  std::error_code failure;
  std::filesystem::rename(temporary, folder, failure);
  if (failure) {
    return SystemError(StrCat("rename ", temporary.string(), " to ", folder.string()),
                       failure.value());
  }
  return SyncFolder(parent);
}

Result<LearnerCheckpoint> LoadCheckpoint(const std::filesystem::path& folder,
                                         const CheckpointIdentity& identity) {
  return GuardTorch(
      StrCat("load checkpoint ", folder.string()), [&]() -> Result<LearnerCheckpoint> {
        const at::NoGradGuard no_grad;
        LearnerCheckpoint checkpoint;
        AZ_RETURN_IF_ERROR(LoadCounters(folder / kLearnerCountersFile, checkpoint));
        const FlatLayout layout = FlatLayout::Of(*Network(identity.shape));
        AZ_RETURN_IF_ERROR(LoadPlayingWeights(folder / kWeightsFile, layout, identity, checkpoint));
        AZ_RETURN_IF_ERROR(LoadTensors(folder / kLearnerTensorsFile, layout, checkpoint));
        return checkpoint;
      });
}

Result<void> CreateInitialCheckpoint(const std::filesystem::path& folder,
                                     const CheckpointIdentity& identity, std::uint64_t seed) {
  return GuardTorch("create network", [&] {
    LearnerCheckpoint checkpoint;
    checkpoint.state = LearnerState::Fresh(identity.shape, seed);
    return SaveCheckpoint(folder, identity, checkpoint);
  });
}

}  // namespace az
