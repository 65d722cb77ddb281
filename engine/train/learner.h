#pragma once
// Learner: optimizer steps over a LearnerState, data-parallel over single-threaded shards on a CPU,
// one shard on a GPU. It knows no files, games or windows (trainer.h does) and keeps
// nothing that LearnerState does not hold, so that a step is a function of (state, batch, rate)
// and, with one shard or several, the same bits every time.
//
//   shard 0   micro-batches ─┐
//   shard 1   micro-batches ─┴─ gradients added in order → norm, clip → AdamW → average, bf16 copy
//
// Batch norm: each shard moves its own running statistics from the step's start, micro-batch by
// micro-batch; the step ends with their mean over the shards.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/config/options.h"
#include "engine/train/learner_state.h"
#include "engine/train/loss.h"
#include "engine/train/optimizer.h"
#include "engine/train/replica.h"
#include "engine/train/shard_team.h"
#include "engine/train/step_transaction.h"
#include "engine/train/value_health.h"
#include "scheduler/device_memory.h"
#include "scheduler/net_shape.h"
#include "scheduler/oom_classifier.h"
#include "scheduler/step_ladder.h"

namespace az {

// Memory ran out; the work was undone, `rung` given up, and the same work is done again.
struct LearnerOom {
  std::string_view what;  // "training step"
  Error error;
  StepRung rung = StepRung::kCleanUp;
  StepSizes sizes;  // from now on
  // The allocator's newest; none without LearnerOptions::memory.
  std::optional<MemoryRefusal> refusal;
  Bytes left;  // not given back by the undoing; 0 unless memory leaks
};

struct LearnerOptions {
  TrainOptions train;
  int shards = 1;             // 1 on a GPU
  int micro_batch = 512;      // rows a shard runs at a time, at most
  int checkpoint_stages = 0;  // of a segment of gradient checkpointing (replica.h); 0 = off
  Precision precision = Precision::kFp32;
  std::string device = "cpu";

  DeviceMemory* memory = nullptr;  // of the device: released after a refusal; outlives the learner
  std::function<void(const LearnerOom&)> on_out_of_memory = {};  // on the learner's thread
  bool gives_up_sizes = true;  // false: a refusal is an error at once, as measuring wants it
};

// The rows of one step, wherever they are. `cut` makes rows [first, first + rows) ready on the
// learner's device, in the type of Learner::input_type(); it is called by several shards at the
// same time, for different rows, and may throw.
struct StepRows {
  int rows = 0;
  double policy_weight = 0;    // summed over the rows
  double opponent_weight = 0;  // likewise; 0 without such targets
  std::function<MicroBatch(int first, int rows)> cut;
};

struct StepReport {
  LossSums sums;
  double gradient_norm = 0;  // before clipping
  bool is_clipped = false;
  bool is_skipped = false;  // loss or gradient not finite: nothing but the counter changed
  std::optional<Error>
      lost;  // the update failed half-way: the state is worthless, SetState is next
};

// Confined to the thread that created it; its shards run on threads of their own.
class Learner {
 public:
  // Takes the state over. Fails: kInvalid (unknown device, shards or micro-batch below 1),
  // kUnavailable (no such device), kNoMemory.
  static Result<std::unique_ptr<Learner>> Create(const NetShape& shape, LearnerOptions options,
                                                 LearnerState state);

  // One optimizer step at learning rate `rate` × state().rate.factor. Blocks for its whole length.
  // Where memory is short the step is undone and done again with less (scheduler/step_ladder.h),
  // for good: the result is that of a learner with sizes() from the start. On an error (kNoMemory:
  // there is nothing left to give up; kUnavailable) the state is as before.
  Result<StepReport> Step(const StepRows& batch, double rate);

  // Losses of `batch` under the averaged weights, in evaluation mode; adds its values and outcomes
  // to `values`, if any. Nothing else changes.
  Result<LossSums> Evaluate(const StepRows& batch, ValueHealth* values = nullptr);

  // What the next Step would report of `batch`, loss and gradient of the weights being trained.
  // Nothing changes but sizes(), as with Step.
  Result<StepReport> Probe(const StepRows& batch);

  // Sets the averaged weights' batch-norm statistics to their mean over the micro-batches of
  // `batch`.
  Result<void> EstimateStatistics(const StepRows& batch);

  const LearnerState& state() const { return state_; }
  // Replaces the state, as after a restore. REQUIRES: of the same shape.
  void SetState(LearnerState state);

  at::ScalarType input_type() const { return weights_.type(); }
  at::Device device() const { return state_.weights.device(); }
  const FlatLayout& layout() const { return layout_; }
  const StepSizes& sizes() const { return ladder_.sizes(); }  // in force

 private:
  struct Part {  // rows of one micro-batch
    int first = 0;
    int rows = 0;
  };
  Learner(const NetShape& shape, LearnerOptions options, LearnerState state);
  std::vector<Part> PartsOf(int shard, int rows) const;
  // Does `work`, which changes nothing but what a StepTransaction restores, until memory suffices.
  template <class Work>
  auto UntilItFits(std::string_view what, int rows, Work work) -> decltype(work());
  MemoryRoom Room() const;  // of the device, now
  Result<void> GiveUpSomething(std::string_view what, int rows, Error error);
  LossWeights LossWeightsOf(const StepRows& batch) const;
  Result<StepReport> Gradient(const StepRows& batch, const LossWeights& loss_weights);
  Result<LossSums> TryEvaluate(const StepRows& batch, ValueHealth* values);
  Result<void> TryEstimateStatistics(const StepRows& batch);
  // Calls work(shard, parts of the shard) on every shard's thread. The first error of a shard, in
  // shard order.
  Result<void> RunShards(std::string_view what, int rows,
                         const std::function<void(int, std::span<const Part>)>& work);
  void SumGradients();
  void TakeStatistics();

  LearnerOptions options_;
  FlatLayout layout_;
  LearnerState state_;
  ComputeWeights weights_;          // of state_.weights
  ComputeWeights average_weights_;  // of state_.average; renewed when used
  ShardTeam team_;
  std::vector<std::unique_ptr<Replica>> replicas_;          // one a shard
  std::vector<std::unique_ptr<Replica>> average_replicas_;  // of average_weights_, forwards only
  Optimizer optimizer_;
  StepLadder ladder_;
  StepTransaction transaction_;  // after replicas_ and team_
  at::Tensor shard_count_;       // float32 scalar: a plain number would take new memory
};

}  // namespace az
