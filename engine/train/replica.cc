#include "engine/train/replica.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "engine/net/network.h"
#include "engine/train/checkpointed_forward.h"

namespace az {
namespace {

constexpr double kBatchNormMomentum = 0.1;

// So that k updates forget as much as one of kBatchNormMomentum: (1 - m)^k = 1 -
// kBatchNormMomentum.
double MomentumOf(int micro_batches) {
  if (micro_batches <= 1) return kBatchNormMomentum;
  return 1.0 - std::pow(1.0 - kBatchNormMomentum, 1.0 / micro_batches);
}

// Planes [rows, ...] with rows of zeros behind them, as Replica::Evaluate says.
torch::Tensor PadRows(const torch::Tensor& planes, int most_rows) {
  const std::int64_t rows = planes.size(0);
  const auto ceiling = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(rows)));
  const std::int64_t padded = std::max(rows, std::min<std::int64_t>(ceiling, most_rows));
  if (padded == rows) return planes;
  return torch::constant_pad_nd(planes, {0, 0, 0, 0, 0, 0, 0, padded - rows});
}

torch::TensorOptions FloatLike(const torch::Tensor& tensor) {
  return torch::TensorOptions(torch::kFloat).device(tensor.device());
}

NetworkOutput FirstRows(const NetworkOutput& output, std::int64_t rows) {
  const auto first = [rows](const torch::Tensor& t) {
    return t.defined() ? t.narrow(0, 0, rows) : t;
  };
  return {.policy_logits = first(output.policy_logits),
          .value_logits = first(output.value_logits),
          .opponent_logits = first(output.opponent_logits),
          .short_term = first(output.short_term)};
}

}  // namespace

ComputeWeights::ComputeWeights(const FlatLayout& layout, torch::Tensor master, Precision precision)
    : master_(std::move(master)), low_(master_.narrow(0, 0, layout.low_precision)) {
  AZ_CHECK_EQ(master_.numel(), layout.weight_count);
  if (precision == Precision::kBf16) low_ = low_.to(torch::kBFloat16);
}

void ComputeWeights::Refresh() {
  const torch::NoGradGuard no_grad;
  if (type() != torch::kFloat) low_.copy_(master_.narrow(0, 0, low_.numel()));
}

Replica::Replica(const NetShape& shape, const FlatLayout& layout, const ComputeWeights& weights,
                 Use use)
    : network_(std::make_shared<NetworkImpl>(shape)),
      low_count_(layout.low_precision),
      momentum_(kBatchNormMomentum) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor& master = weights.master();
  network_->to(master.device());
  statistics_ = torch::zeros({layout.statistics_count}, FloatLike(master));
  if (use == Use::kTrain) {
    gradient_ = torch::zeros({layout.weight_count}, FloatLike(master));
    if (weights.type() != torch::kFloat) low_gradient_ = torch::zeros_like(weights.low());
  }

  std::unordered_map<std::string, torch::Tensor> parameters;
  for (auto& item : network_->named_parameters()) parameters.emplace(item.key(), item.value());
  for (const FlatEntry& entry : layout.weights) {
    torch::Tensor& parameter = parameters.at(entry.name);
    const bool is_low = entry.offset < layout.low_precision;
    parameter.set_data(ViewOf(is_low ? weights.low() : master, entry));
    if (use == Use::kForward) continue;
    const bool has_low_gradient = is_low && low_gradient_.defined();
    parameter.mutable_grad() = ViewOf(has_low_gradient ? low_gradient_ : gradient_, entry);
  }
  std::unordered_map<std::string, torch::Tensor> buffers;
  for (auto& item : network_->named_buffers()) buffers.emplace(item.key(), item.value());
  for (const FlatEntry& entry : layout.statistics) {
    buffers.at(entry.name).set_data(ViewOf(statistics_, entry));
    buffers.erase(entry.name);
  }
  counters_ = torch::zeros({static_cast<std::int64_t>(buffers.size())},
                           torch::TensorOptions(torch::kLong).device(master.device()));
  std::int64_t next = 0;
  for (auto& [name, counter] : buffers) counter.set_data(counters_[next++]);
  saved_statistics_ = statistics_.clone();
  saved_counters_ = counters_.clone();
}

void Replica::SaveBuffers() {
  const torch::NoGradGuard no_grad;
  saved_statistics_.copy_(statistics_);
  saved_counters_.copy_(counters_);
}

void Replica::RestoreBuffers() {
  const torch::NoGradGuard no_grad;
  statistics_.copy_(saved_statistics_);
  counters_.copy_(saved_counters_);
}

void Replica::ClearGradient() {
  if (gradient_.defined()) gradient_.zero_();
  if (low_gradient_.defined()) low_gradient_.zero_();
}

void Replica::BeginStep(const torch::Tensor& statistics, int micro_batches) {
  const torch::NoGradGuard no_grad;
  SetMomentum(MomentumOf(micro_batches));
  if (gradient_.defined()) gradient_.zero_();
  statistics_.copy_(statistics);
}

torch::Tensor Replica::Accumulate(const MicroBatch& batch, const LossWeights& weights) {
  AZ_CHECK(gradient_.defined()) << "a forward replica has no gradient";
  network_->train(!running_statistics_only_);
  if (low_gradient_.defined()) low_gradient_.zero_();
  const NetworkOutput output =
      checkpoint_stages_ > 0 ? CheckpointedForward(*network_, batch.planes, checkpoint_stages_)
                             : network_->forward(batch.planes);
  LossResult result = ComputeLoss(output, batch.targets, weights);
  result.loss.backward();
  if (low_gradient_.defined()) {
    const torch::NoGradGuard no_grad;
    gradient_.narrow(0, 0, low_count_).add_(low_gradient_);
  }
  return result.sums;
}

LossResult Replica::Evaluate(const MicroBatch& batch, const LossWeights& weights, int most_rows) {
  const torch::NoGradGuard no_grad;
  network_->eval();
  const NetworkOutput padded = network_->forward(PadRows(batch.planes, most_rows));
  return ComputeLoss(FirstRows(padded, batch.planes.size(0)), batch.targets, weights);
}

void Replica::Estimate(const MicroBatch& batch, int index) {
  const torch::NoGradGuard no_grad;
  network_->train();
  SetMomentum(1.0 / (index + 1));
  network_->forward(batch.planes);
}

void Replica::SetMomentum(double momentum) {
  if (momentum == momentum_) return;
  momentum_ = momentum;
  for (const auto& module : network_->modules(/*include_self=*/false)) {
    if (auto* norm = module->as<torch::nn::BatchNorm2dImpl>()) norm->options.momentum(momentum);
  }
}

}  // namespace az
