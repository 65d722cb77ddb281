#pragma once
// Weights files: the network that plays, as the learner writes it and everybody else loads it. The
// learner's own state (optimizer, counters) is engine/train's. docs/formats/checkpoint.md is the
// format.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/net/safetensors.h"
#include "engine/players/weights_info.h"
#include "scheduler/net_shape.h"

namespace az {

class NetworkImpl;

// A network's parameters and batch-norm statistics, without the heads that only training has:
// float32, on the CPU, contiguous.
struct Weights {
  WeightsInfo info;
  std::vector<NamedTensor> tensors;

  // REQUIRES: there is one of this name (LoadWeights and WeightsOf give complete ones).
  const at::Tensor& Get(std::string_view name) const;
};

// A copy of the network's weights as they are now.
Weights WeightsOf(const NetworkImpl& network, WeightsInfo info);

// Copies weights into a network of the same shape, on the network's device; its training-only heads
// stay as they are. kIncompatible: other shape, both are told.
Result<void> ApplyWeights(const Weights& weights, NetworkImpl& network);

// Every tensor that the shape asks for is there with its size, and all numbers are finite.
// kIncompatible, kNotFinite.
Result<void> ValidateWeights(const Weights& weights);

Result<void> SaveWeights(const std::filesystem::path& file, const Weights& weights);

// Reads and validates. kCorrupt: a damaged file. kIncompatible: another format version, or not a
// weights file. kNotFinite. kNoMemory.
Result<Weights> LoadWeights(const std::filesystem::path& file);

// The same, and refuses weights of another game or network than the run's: kIncompatible, both are
// told. With `other_networks` a network of another size will do, of the same planes and actions.
Result<Weights> LoadWeightsFor(const std::filesystem::path& file, const NetShape& shape,
                               std::string_view game, bool other_networks = false);

}  // namespace az
