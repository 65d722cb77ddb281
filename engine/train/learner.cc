#include "engine/train/learner.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/strings.h"
#include "engine/net/network.h"
#include "engine/net/torch_guard.h"

namespace az {
namespace {

LossSums Sum(const std::vector<at::Tensor>& sums) {
  LossSums total;
  for (const at::Tensor& tensor : sums) {
    if (tensor.defined()) total += ReadSums(tensor);
  }
  return total;
}

// `value` [n] with what came of it: LossTargets::outcome.
void AddValues(ValueHealth& health, const at::Tensor& value, const at::Tensor& outcome) {
  const at::Tensor values = value.cpu().contiguous();
  const at::Tensor outcomes = OutcomeValues(outcome).cpu().contiguous();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    health.Add(static_cast<double>(values.data_ptr<float>()[i]),
               static_cast<double>(outcomes.data_ptr<float>()[i]));
  }
}

// `total` += `more`, where `total` may be undefined yet.
void AddTo(at::Tensor& total, const at::Tensor& more) {
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
        const at::Device device(options.device);
        AZ_CHECK(device.is_cpu() || options.shards == 1) << "a GPU takes one shard";
        if (device.is_cuda() && options.precision == Precision::kFp32) {
          // Digits were asked for, and convolutions have TF32 by default. Of the whole process;
          // inference in bf16 uses neither.
          at::globalContext().setAllowTF32CuDNN(false);
          at::globalContext().setAllowTF32CuBLAS(false);
        }
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
      team_(options_.shards),
      optimizer_(options_.train, layout_, state_.weights.device()),
      ladder_(
          {.micro_batch = options_.micro_batch, .checkpoint_stages = options_.checkpoint_stages},
          shape.res_blocks + shape.attention_blocks),
      transaction_(team_, replicas_, state_.weights.device(), options_.memory),
      shard_count_(at::full({}, options_.shards, state_.weights.options())) {
  for (int shard = 0; shard < options_.shards; ++shard) {
    replicas_.push_back(std::make_unique<Replica>(shape, layout_, weights_, Replica::Use::kTrain));
    replicas_.back()->SetCheckpointStages(options_.checkpoint_stages);
    average_replicas_.push_back(
        std::make_unique<Replica>(shape, layout_, average_weights_, Replica::Use::kForward));
  }
}

std::vector<Learner::Part> Learner::PartsOf(int shard, int rows) const {
  const int begin = static_cast<int>(std::int64_t{rows} * shard / options_.shards);
  const int end = static_cast<int>(std::int64_t{rows} * (shard + 1) / options_.shards);
  const int most = ladder_.sizes().micro_batch;
  const int count = (end - begin + most - 1) / most;
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
    const auto guarded = [&]() -> Result<void> {
      work(shard, parts);
      return {};
    };
    Result<void> done = GuardTorch(what, guarded, [this] { return Room(); });
    if (!done) errors[static_cast<std::size_t>(shard)] = std::move(done).error();
  });
  for (std::optional<Error>& error : errors) {
    if (error) return *std::move(error);
  }
  return {};
}

MemoryRoom Learner::Room() const {
  return options_.memory == nullptr ? MemoryRoom{} : RoomIn(options_.memory->Snapshot());
}

template <class Work>
auto Learner::UntilItFits(std::string_view what, int rows, Work work) -> decltype(work()) {
  while (true) {
    Result<void> begun = transaction_.Begin();
    decltype(work()) result = begun ? work() : decltype(work())(std::move(begun).error());
    if (result) {
      transaction_.Commit();
      ladder_.Success();
      return result;
    }
    AZ_RETURN_IF_ERROR(GiveUpSomething(what, rows, std::move(result).error()));
  }
}

// Undoes what failed; the error when there is nothing to be done about it.
Result<void> Learner::GiveUpSomething(std::string_view what, int rows, Error error) {
  AZ_ASSIGN_OR_RETURN(const StepTransaction::Undone undone, transaction_.Rollback());
  if (error.code != Errc::kNoMemory || !options_.gives_up_sizes) return error;
  int largest = 1;
  for (int shard = 0; shard < options_.shards; ++shard) {
    for (const Part& part : PartsOf(shard, rows)) largest = std::max(largest, part.rows);
  }
  const StepRung rung = ladder_.OutOfMemory(largest);
  if (rung == StepRung::kExhausted) {
    error.message +=
        StrCat("; with micro-batches of ", largest, " rows and gradient checkpointing ",
               "there is nothing left to give up (raise the memory budget, or take a "
               "smaller network)");
    return error;
  }
  for (const auto& replica : replicas_) replica->SetCheckpointStages(sizes().checkpoint_stages);
  if (options_.on_out_of_memory) {
    options_.on_out_of_memory({.what = what,
                               .error = std::move(error),
                               .rung = rung,
                               .sizes = sizes(),
                               .refusal = undone.refusal,
                               .left = undone.left});
  }
  return {};
}

LossWeights Learner::LossWeightsOf(const StepRows& batch) const {
  LossWeights loss_weights = LossWeights::Of(options_.train);
  loss_weights.step_rows = batch.rows;
  loss_weights.step_policy_weight = batch.policy_weight;
  loss_weights.step_opponent_weight = batch.opponent_weight;
  return loss_weights;
}

Result<StepReport> Learner::Probe(const StepRows& batch) {
  const LossWeights loss_weights = LossWeightsOf(batch);
  return UntilItFits("judge the weights", batch.rows,
                     [&] { return Gradient(batch, loss_weights); });
}

Result<StepReport> Learner::Step(const StepRows& batch, double rate) {
  const LossWeights loss_weights = LossWeightsOf(batch);
  AZ_ASSIGN_OR_RETURN(StepReport report, UntilItFits("training step", batch.rows, [&] {
                        return Gradient(batch, loss_weights);
                      }));
  if (report.is_skipped) {
    ++state_.skipped_steps;
    return report;
  }
  const double limit = options_.train.grad_clip;
  Result<void> updated = GuardTorch("update of the weights", [&]() -> Result<void> {
    const at::NoGradGuard no_grad;
    at::Tensor gradient = replicas_[0]->gradient();
    optimizer_.Update(state_, gradient, report.is_clipped ? limit / report.gradient_norm : 1.0,
                      rate);
    weights_.Refresh();
    TakeStatistics();
    return {};
  });
  if (!updated) report.lost = std::move(updated).error();
  state_.samples += batch.rows;
  return report;
}

// Forwards and backwards of a step, up to its gradient in shard 0's replica.
Result<StepReport> Learner::Gradient(const StepRows& batch, const LossWeights& loss_weights) {
  std::vector<at::Tensor> sums(replicas_.size());
  AZ_RETURN_IF_ERROR(
      RunShards("training step", batch.rows, [&](int shard, std::span<const Part> parts) {
        const auto index = static_cast<std::size_t>(shard);
        replicas_[index]->BeginStep(state_.statistics, static_cast<int>(parts.size()));
        for (const Part& part : parts) {
          AddTo(sums[index],
                replicas_[index]->Accumulate(batch.cut(part.first, part.rows), loss_weights));
        }
      }));
  return GuardTorch("gradient of a step", [&]() -> Result<StepReport> {
    const at::NoGradGuard no_grad;
    StepReport report;
    report.sums = Sum(sums);
    SumGradients();
    report.gradient_norm = replicas_[0]->gradient().norm().item<double>();
    report.is_skipped =
        !std::isfinite(report.gradient_norm) || !std::isfinite(report.sums.Loss(loss_weights));
    const double limit = options_.train.grad_clip;
    report.is_clipped = !report.is_skipped && limit > 0 && report.gradient_norm > limit;
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

// The mean over the shards. Allocates no tensor memory, as the Optimizer.
void Learner::TakeStatistics() {
  state_.statistics.copy_(replicas_[0]->statistics());
  for (std::size_t shard = 1; shard < replicas_.size(); ++shard) {
    state_.statistics.add_(replicas_[shard]->statistics());
  }
  if (replicas_.size() > 1) state_.statistics.div_(shard_count_);
}

Result<LossSums> Learner::Evaluate(const StepRows& batch, ValueHealth* values) {
  return UntilItFits("evaluate positions", batch.rows, [&] { return TryEvaluate(batch, values); });
}

Result<void> Learner::EstimateStatistics(const StepRows& batch) {
  return UntilItFits("estimate batch-norm statistics", batch.rows,
                     [&] { return TryEstimateStatistics(batch); });
}

Result<LossSums> Learner::TryEvaluate(const StepRows& batch, ValueHealth* values) {
  average_weights_.Refresh();
  const LossWeights loss_weights;
  std::vector<at::Tensor> sums(average_replicas_.size());
  std::vector<ValueHealth> health(average_replicas_.size());
  AZ_RETURN_IF_ERROR(
      RunShards("evaluate positions", batch.rows, [&](int shard, std::span<const Part> parts) {
        const auto index = static_cast<std::size_t>(shard);
        average_replicas_[index]->BeginStep(state_.average_statistics);
        for (const Part& part : parts) {
          const MicroBatch rows = batch.cut(part.first, part.rows);
          const LossResult result =
              average_replicas_[index]->Evaluate(rows, loss_weights, ladder_.sizes().micro_batch);
          AddTo(sums[index], result.sums);
          if (values != nullptr) AddValues(health[index], result.value, rows.targets.outcome);
        }
      }));
  return GuardTorch("evaluate positions", [&]() -> Result<LossSums> {
    const LossSums sum = Sum(sums);
    for (const ValueHealth& part : health) {
      if (values != nullptr) *values += part;
    }
    return sum;
  });
}

Result<void> Learner::TryEstimateStatistics(const StepRows& batch) {
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
  return GuardTorch("estimate batch-norm statistics", [&]() -> Result<void> {
    const at::NoGradGuard no_grad;
    at::Tensor mean = at::zeros_like(state_.average_statistics);
    double total = 0;
    for (std::size_t shard = 0; shard < counts.size(); ++shard) {
      const auto count = static_cast<double>(counts[shard]);
      mean.add_(average_replicas_[shard]->statistics(), count);
      total += count;
    }
    if (total > 0) state_.average_statistics.copy_(mean.div_(total));
    return {};
  });
}

void Learner::SetState(LearnerState state) {
  const at::NoGradGuard no_grad;
  AZ_CHECK_EQ(state.weights.numel(), state_.weights.numel());
  state_.weights.copy_(
      state.weights);  // replicas look into these arrays, so they stay where they are
  state_.average.copy_(state.average);
  const at::Tensor weights = state_.weights;
  const at::Tensor average = state_.average;
  const at::Device device = weights.device();
  state_ = std::move(state);
  state_.MoveTo(device);
  state_.weights = weights;
  state_.average = average;
  weights_.Refresh();
}

}  // namespace az
