#include "engine/train/optimizer.h"

#include <ATen/ops/_fused_adamw.h>

#include "engine/train/schedule.h"

namespace az {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEpsilon = 1e-8;

}  // namespace

Optimizer::Optimizer(const TrainOptions& options, const FlatLayout& layout, torch::Device device)
    : options_(options),
      decayed_(layout.decayed),
      weight_count_(layout.weight_count),
      step_(torch::zeros({}, torch::TensorOptions(torch::kFloat).device(device))),
      scale_(torch::zeros({}, torch::TensorOptions(torch::kFloat).device(device))) {}

void Optimizer::Update(LearnerState& state, torch::Tensor& gradient, double scale, double rate) {
  const torch::NoGradGuard no_grad;
  ++state.steps;
  if (scale != 1.0) gradient.mul_(scale_.fill_(scale));
  step_.fill_(static_cast<double>(state.steps));
  const auto update = [&](std::int64_t begin, std::int64_t end, double decay) {
    const auto part = [&](const torch::Tensor& flat) { return flat.narrow(0, begin, end - begin); };
    at::_fused_adamw_({part(state.weights)}, {part(gradient)}, {part(state.first_moment)},
                      {part(state.second_moment)}, {}, {step_}, rate * state.rate_factor, kBeta1,
                      kBeta2, decay, kEpsilon, /*amsgrad=*/false, /*maximize=*/false);
  };
  update(0, decayed_, options_.weight_decay);
  update(decayed_, weight_count_, 0.0);
  state.average.lerp_(state.weights, 1.0 - EmaDecay(options_, state.steps));
}

}  // namespace az
