#include "engine/train/learner_state.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/utils.h>

#include "engine/net/network.h"

namespace az {

LearnerState LearnerState::Fresh(const NetShape& shape, std::uint64_t seed) {
  torch::manual_seed(seed);
  Network network(shape);
  const FlatLayout layout = FlatLayout::Of(*network);
  LearnerState state;
  state.weights = torch::zeros({layout.weight_count});
  state.statistics = torch::zeros({layout.statistics_count});
  CopyToFlat(*network, layout, state.weights, state.statistics);
  state.average = state.weights.clone();
  state.average_statistics = state.statistics.clone();
  state.first_moment = torch::zeros_like(state.weights);
  state.second_moment = torch::zeros_like(state.weights);
  return state;
}

LearnerState LearnerState::Clone() const {
  LearnerState copy = *this;
  for (torch::Tensor* tensor :
       {&copy.weights, &copy.statistics, &copy.average, &copy.average_statistics,
        &copy.first_moment, &copy.second_moment}) {
    *tensor = tensor->clone();
  }
  return copy;
}

void LearnerState::MoveTo(torch::Device device) {
  for (torch::Tensor* tensor :
       {&weights, &statistics, &average, &average_statistics, &first_moment, &second_moment}) {
    *tensor = tensor->to(device);
  }
}

}  // namespace az
