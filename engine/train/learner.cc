#include "engine/train/learner.h"

#include <ATen/ops/_fused_adamw.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/strings.h"
#include "engine/net/torch_guard.h"
#include "engine/train/schedule.h"

namespace az {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEpsilon = 1e-8;

LossSums Sum(const std::vector<torch::Tensor>& sums) {
  LossSums total;
  for (const torch::Tensor& tensor : sums) {
    if (tensor.defined()) total += ReadSums(tensor);
  }
  return total;
}

// `total` += `more`, where `total` may be undefined yet.
void AddTo(torch::Tensor& total, const torch::Tensor& more) {
  total = total.defined() ? total.add_(more) : more;
}

}  // namespace

Result<std::unique_ptr<Learner>> Learner::Create(const NetShape& shape, LearnerOptions options,
                                                 LearnerState state) {
  if (options.shards < 1 || options.micro_batch < 1 || options.checkpoint_stages < 0) {
    return Error{Errc::kInvalid,
                 StrCat("create learner: ", options.shards, " shards of ", options.micro_batch,
                        " rows (both must be at least 1), ", options.checkpoint_stages,
                        " stages a checkpoint (0: off)")};
  }
  std::unique_ptr<Learner> learner;
  AZ_RETURN_IF_ERROR(
      GuardTorch(StrCat("create learner on ", options.device), [&]() -> Result<void> {
        const torch::Device device(options.device);
        AZ_CHECK(device.is_cpu() || options.shards == 1) << "a GPU takes one shard";
        state.MoveTo(device);
        learner.reset(new Learner(shape, std::move(options), std::move(state)));
        return {};
      }));
  return learner;
}

Learner::Learner(const NetShape& shape, LearnerOptions options, LearnerState state)
    : options_(std::move(options)),
      layout_(FlatLayout::Of(*Network(shape))),
      state_(std::move(state)),
      weights_(layout_, state_.weights, options_.precision),
      average_weights_(layout_, state_.average, options_.precision),
      team_(options_.shards) {
  for (int shard = 0; shard < options_.shards; ++shard) {
    replicas_.push_back(std::make_unique<Replica>(shape, layout_, weights_, Replica::Use::kTrain));
    replicas_.back()->SetCheckpointStages(options_.checkpoint_stages);
    average_replicas_.push_back(
        std::make_unique<Replica>(shape, layout_, average_weights_, Replica::Use::kForward));
  }
  adam_step_ = torch::zeros({}, state_.weights.options());
}

std::vector<Learner::Part> Learner::PartsOf(int shard, int rows) const {
  const int begin = static_cast<int>(std::int64_t{rows} * shard / options_.shards);
  const int end = static_cast<int>(std::int64_t{rows} * (shard + 1) / options_.shards);
  const int count = (end - begin + options_.micro_batch - 1) / options_.micro_batch;
  std::vector<Part> parts;
  for (int i = 0; i < count; ++i) {
    const int first = begin + (end - begin) * i / count;
    const int last = begin + (end - begin) * (i + 1) / count;
    parts.push_back({.first = first, .rows = last - first});
  }
  return parts;
}

Result<void> Learner::RunShards(std::string_view what, int rows,
                                const std::function<void(int, std::span<const Part>)>& work) {
  std::vector<std::optional<Error>> errors(static_cast<std::size_t>(options_.shards));
  team_.Run([&](int shard) {
    const std::vector<Part> parts = PartsOf(shard, rows);
    Result<void> done = GuardTorch(what, [&]() -> Result<void> {
      work(shard, parts);
      return {};
    });
    if (!done) errors[static_cast<std::size_t>(shard)] = std::move(done).error();
  });
  for (std::optional<Error>& error : errors) {
    if (error) return *std::move(error);
  }
  return {};
}

Result<StepReport> Learner::Step(const StepRows& batch, double rate) {
  LossWeights loss_weights = LossWeights::Of(options_.train);
  loss_weights.step_rows = batch.rows;
  loss_weights.step_policy_weight = batch.policy_weight;
  std::vector<torch::Tensor> sums(replicas_.size());
  AZ_RETURN_IF_ERROR(
      RunShards("training step", batch.rows, [&](int shard, std::span<const Part> parts) {
        const auto index = static_cast<std::size_t>(shard);
        replicas_[index]->BeginStep(state_.statistics, static_cast<int>(parts.size()));
        for (const Part& part : parts) {
          AddTo(sums[index],
                replicas_[index]->Accumulate(batch.cut(part.first, part.rows), loss_weights));
        }
      }));

  return GuardTorch("optimizer step", [&]() -> Result<StepReport> {
    const torch::NoGradGuard no_grad;
    StepReport report;
    report.sums = Sum(sums);
    SumGradients();
    report.gradient_norm = replicas_[0]->gradient().norm().item<double>();
    if (!std::isfinite(report.gradient_norm) || !std::isfinite(report.sums.Loss(loss_weights))) {
      ++state_.skipped_steps;
      report.is_skipped = true;
      return report;
    }
    const double limit = options_.train.grad_clip;
    report.is_clipped = limit > 0 && report.gradient_norm > limit;
    Update(rate, report.is_clipped ? limit / report.gradient_norm : 1.0);
    state_.samples += batch.rows;
    return report;
  });
}

// Into shard 0's, always in shard order: float addition is not associative, and the same batch must
// give the same bits.
void Learner::SumGradients() {
  for (std::size_t shard = 1; shard < replicas_.size(); ++shard) {
    replicas_[0]->gradient().add_(replicas_[shard]->gradient());
  }
}

void Learner::Update(double rate, double gradient_scale) {
  ++state_.steps;
  torch::Tensor gradient = replicas_[0]->gradient();
  if (gradient_scale != 1.0) gradient.mul_(gradient_scale);
  adam_step_.fill_(static_cast<double>(state_.steps));
  const auto update = [&](std::int64_t begin, std::int64_t end, double decay) {
    const auto part = [&](const torch::Tensor& flat) { return flat.narrow(0, begin, end - begin); };
    at::_fused_adamw_({part(state_.weights)}, {part(gradient)}, {part(state_.first_moment)},
                      {part(state_.second_moment)}, {}, {adam_step_}, rate * state_.rate_factor,
                      kBeta1, kBeta2, decay, kEpsilon, /*amsgrad=*/false, /*maximize=*/false);
  };
  update(0, layout_.decayed, options_.train.weight_decay);
  update(layout_.decayed, layout_.weight_count, 0.0);
  weights_.Refresh();
  state_.average.lerp_(state_.weights, 1.0 - EmaDecay(options_.train, state_.steps));

  state_.statistics.copy_(replicas_[0]->statistics());
  for (std::size_t shard = 1; shard < replicas_.size(); ++shard) {
    state_.statistics.add_(replicas_[shard]->statistics());
  }
  if (replicas_.size() > 1) state_.statistics.div_(static_cast<double>(replicas_.size()));
}

Result<LossSums> Learner::Evaluate(const StepRows& batch) {
  average_weights_.Refresh();
  const LossWeights loss_weights;
  std::vector<torch::Tensor> sums(average_replicas_.size());
  AZ_RETURN_IF_ERROR(
      RunShards("evaluate positions", batch.rows, [&](int shard, std::span<const Part> parts) {
        const auto index = static_cast<std::size_t>(shard);
        average_replicas_[index]->BeginStep(state_.average_statistics);
        for (const Part& part : parts) {
          AddTo(sums[index],
                average_replicas_[index]->Evaluate(batch.cut(part.first, part.rows), loss_weights));
        }
      }));
  return Sum(sums);
}

Result<void> Learner::EstimateStatistics(const StepRows& batch) {
  average_weights_.Refresh();
  std::vector<std::size_t> counts(average_replicas_.size());
  AZ_RETURN_IF_ERROR(RunShards(
      "estimate batch-norm statistics", batch.rows, [&](int shard, std::span<const Part> parts) {
        const auto index = static_cast<std::size_t>(shard);
        Replica& replica = *average_replicas_[index];
        replica.BeginStep(state_.average_statistics);
        counts[index] = parts.size();
        for (std::size_t i = 0; i < parts.size(); ++i) {
          replica.Estimate(batch.cut(parts[i].first, parts[i].rows), static_cast<int>(i));
        }
      }));
  const torch::NoGradGuard no_grad;
  torch::Tensor mean = torch::zeros_like(state_.average_statistics);
  double total = 0;
  for (std::size_t shard = 0; shard < counts.size(); ++shard) {
    const auto count = static_cast<double>(counts[shard]);
    mean.add_(average_replicas_[shard]->statistics(), count);
    total += count;
  }
  if (total > 0) state_.average_statistics.copy_(mean.div_(total));
  return {};
}

void Learner::SetState(LearnerState state) {
  const torch::NoGradGuard no_grad;
  AZ_CHECK_EQ(state.weights.numel(), state_.weights.numel());
  state_.weights.copy_(
      state.weights);  // replicas look into these arrays, so they stay where they are
  state_.average.copy_(state.average);
  const torch::Tensor weights = state_.weights;
  const torch::Tensor average = state_.average;
  const torch::Device device = weights.device();
  state_ = std::move(state);
  state_.MoveTo(device);
  state_.weights = weights;
  state_.average = average;
  weights_.Refresh();
}

}  // namespace az
