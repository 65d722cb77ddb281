#include "engine/train/optimizer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "base/check.h"
#include "engine/train/schedule.h"

namespace az {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEpsilon = 1e-8;

}  // namespace

Optimizer::Optimizer(const TrainOptions& options, const FlatLayout& layout, at::Device device)
    : options_(options),
      decayed_(layout.decayed),
      weight_count_(layout.weight_count),
      step_(at::zeros({}, at::TensorOptions(at::kFloat).device(device))),
      scale_(at::zeros({}, at::TensorOptions(at::kFloat).device(device))) {}

void Optimizer::Update(LearnerState& state, at::Tensor& gradient, double scale, double rate) {
  const at::NoGradGuard no_grad;
  ++state.steps;
  if (scale != 1.0) gradient.mul_(scale_.fill_(scale));
  step_.fill_(static_cast<double>(state.steps));
  const auto update = [&](std::int64_t begin, std::int64_t end, double decay) {
    const auto part = [&](const at::Tensor& flat) { return flat.narrow(0, begin, end - begin); };
    at::_fused_adamw_({part(state.weights)}, {part(gradient)}, {part(state.first_moment)},
                      {part(state.second_moment)}, {}, {step_}, rate * state.rate.factor, kBeta1,
                      kBeta2, decay, kEpsilon, /*amsgrad=*/false, /*maximize=*/false);
  };
  update(0, decayed_, options_.weight_decay);
  update(decayed_, weight_count_, 0.0);
  state.average.lerp_(state.weights, 1.0 - EmaDecay(options_, state.steps));
}

double UpdateWeightRatio(const LearnerState& state, const TrainOptions& options,
                         const FlatLayout& layout, double rate) {
  AZ_CHECK(state.weights.is_cpu() && state.steps > 0) << state.steps;
  const auto step = static_cast<double>(state.steps);
  const double first_scale = 1.0 / (1.0 - std::pow(kBeta1, step));
  const double second_scale = 1.0 / (1.0 - std::pow(kBeta2, step));
  const float* weights = state.weights.data_ptr<float>();
  const float* first = state.first_moment.data_ptr<float>();
  const float* second = state.second_moment.data_ptr<float>();
  double moved = 0;
  double length = 0;
  for (std::int64_t i = 0; i < layout.weight_count; ++i) {
    const double decay = i < layout.decayed ? rate * static_cast<double>(options.weight_decay) : 0;
    const double adam = rate * first_scale * static_cast<double>(first[i]) /
                        (std::sqrt(second_scale * static_cast<double>(second[i])) + kEpsilon);
    const auto after = static_cast<double>(weights[i]);
    const double before = (after + adam) / (1.0 - decay);
    moved += (after - before) * (after - before);
    length += before * before;
  }
  return length > 0 ? std::sqrt(moved / length) : 0.0;
}

}  // namespace az
