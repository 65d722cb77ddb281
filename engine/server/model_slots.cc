#include "engine/server/model_slots.h"

#include "base/check.h"

namespace az {

ModelSlots::ModelSlots(Segment& segment) : segment_(segment) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    ModelLine& line = segment_.header().models[i];
    const bool in_use = line.state.load(std::memory_order_relaxed) !=
                        static_cast<std::uint32_t>(ModelState::kEmpty);
    const ModelState state = in_use ? ModelState::kLoading : ModelState::kEmpty;
    states_[i].store(state, std::memory_order_relaxed);
    line.state.store(static_cast<std::uint32_t>(state), std::memory_order_release);
  }
}

void ModelSlots::Set(ModelId model, ModelState state, WeightsVersion version) {
  AZ_CHECK(model.value() < segment_.shape().models) << "model slot " << model.value();
  ModelLine& line = segment_.header().models[model.value()];
  if (state == ModelState::kReady) segment_.Count(ServerCounter::kPublished);
  line.version.store(version, std::memory_order_release);
  line.state.store(static_cast<std::uint32_t>(state), std::memory_order_release);
  states_[model.value()].store(state, std::memory_order_release);
}

}  // namespace az
