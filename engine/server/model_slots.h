#pragma once
// ModelSlots: which slots can answer. The server's own copy decides; the segment's lines tell the
// others.

#include <array>
#include <atomic>
#include <cstdint>

#include "engine/ipc/evaluator.h"
#include "engine/ipc/segment.h"

namespace az {

// Thread-safe.
class ModelSlots {
 public:
  // Slots that an earlier server of this segment had in use are kLoading: their blocks wait for the
  // load that the supervisor sends again, instead of failing.
  explicit ModelSlots(Segment& segment);

  void Set(ModelId model, ModelState state, WeightsVersion version);
  ModelState state(int model) const {
    // Acquire, against Set's release: a batch sealed after kReady was seen runs after the weights
    // were swapped in.
    return states_[static_cast<std::size_t>(model)].load(std::memory_order_acquire);
  }

 private:
  Segment& segment_;
  std::array<std::atomic<ModelState>, kMaxModels> states_;
};

}  // namespace az
