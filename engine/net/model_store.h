#pragma once
// ModelStore: the model slots of a CPU device. Loading and checking weights happens in the caller's
// thread, beside the runners; publishing is one pointer swap, and a forward that began keeps the
// weights it began with.

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/thread_annotations.h"
#include "engine/ipc/evaluator.h"
#include "engine/net/checkpoint.h"
#include "engine/net/inference_net.h"
#include "scheduler/net_shape.h"

namespace az {

// Weights in play. Immutable.
struct PublishedNet {
  std::unique_ptr<const InferenceNet> net;
  WeightsVersion version = 0;
  std::uint32_t iteration = 0;
};

// Thread-safe.
class ModelStore {
 public:
  static constexpr int kSlots = 4;
  struct Options {
    NetShape shape;    // of the run; weights of another shape are refused
    std::string game;  // registry entry; weights of another game are refused
    InferenceOptions inference;
    bool other_networks = false;  // only those of other planes or actions are refused
  };
  explicit ModelStore(Options options) : options_(std::move(options)) {}

  // Loads weights_file (checkpoint.h), checks them and puts them into the slot under this version.
  // On an error the slot keeps what it had: kNotFound, kCorrupt, kIncompatible, kNotFinite (also
  // when a fixed batch gives such answers), kNoMemory, kInvalid: no such slot. Blocks for the
  // reading and packing.
  Result<void> Load(ModelId slot, const std::filesystem::path& weights_file,
                    WeightsVersion version);
  // The same from memory.
  Result<void> Publish(ModelId slot, const Weights& weights, WeightsVersion version);
  void Unload(ModelId slot);  // the slot is empty afterwards; unknown slots are ignored

  // What the slot holds; null when it is empty or there is no such slot. Shared, because a runner
  // may finish a batch on weights that have just been replaced: whoever is later frees them.
  std::shared_ptr<const PublishedNet> Get(ModelId slot) const;

  const NetShape& shape() const { return options_.shape; }

 private:
  Options options_;
  mutable Mutex mutex_;
  std::array<std::shared_ptr<const PublishedNet>, kSlots> slots_ AZ_GUARDED_BY(mutex_);
};

}  // namespace az
