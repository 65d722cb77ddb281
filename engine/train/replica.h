#pragma once
// Replica: one shard's copy of the network. It shares its weights with the other shards and has
// gradients and batch-norm statistics of its own, so that shards run at the same time without a
// lock. Used by the learner.

#include <ATen/core/Tensor.h>

#include <memory>

#include "engine/config/options.h"
#include "engine/train/flat_layout.h"
#include "engine/train/loss.h"

namespace az {

class NetworkImpl;

// The weights that forwards read: float32, and for bf16 training a bf16 copy of [0, low_precision).
// Thread-compatible: replicas only read.
class ComputeWeights {
 public:
  // `master`: a flat float32 array, shared with the optimizer.
  ComputeWeights(const FlatLayout& layout, at::Tensor master, Precision precision);
  // After the master changed: renews the bf16 copy. No forward may run.
  void Refresh();

  const at::Tensor& master() const { return master_; }
  const at::Tensor& low() const {
    return low_;
  }  // the first low_precision numbers, as forwards read them
  at::ScalarType type() const { return low_.scalar_type(); }

 private:
  at::Tensor master_;
  at::Tensor low_;
};

// One micro-batch on the network's device.
struct MicroBatch {
  at::Tensor planes;  // [n, planes, rows, cols], channels-last, of ComputeWeights::type()
  LossTargets targets;
};

// Confined to one thread at a time. On a CPU that thread has one LibTorch thread
// (at::set_num_threads(1)).
class Replica {
 public:
  enum class Use : std::uint8_t {
    kTrain,
    kForward
  };  // kForward: has no gradient, must not Accumulate

  // `weights` outlives the replica. REQUIRES: layout is of a network of this shape.
  Replica(const NetShape& shape, const FlatLayout& layout, const ComputeWeights& weights, Use use);

  // Sets the gradient, if any, to 0 and the batch-norm statistics to `statistics` (flat, copied).
  // `micro_batches`: calls of Accumulate to come; each moves the statistics by that much less, so
  // that their memory is as long in steps as with one.
  void BeginStep(const at::Tensor& statistics, int micro_batches = 1);
  // Forward and backward in training mode; adds to the gradient and moves the running statistics.
  // The sums stay on the device (ReadSums).
  at::Tensor Accumulate(const MicroBatch& batch, const LossWeights& weights);
  // Forward in evaluation mode, with the running statistics as they are; no gradient. Sums and
  // values stay on the device. Runs on the next power of two of rows, but at most `most_rows` when
  // the batch has no more: held-out games come in any number, and LibTorch keeps compiled kernels
  // of every number it has seen.
  LossResult Evaluate(const MicroBatch& batch, const LossWeights& weights, int most_rows);
  // Forward in training mode without gradients: the running statistics become the mean over all
  // batches since BeginStep, of which this is number `index` (0, 1, …).
  void Estimate(const MicroBatch& batch, int index);
  // Whether Accumulate normalises by the batch (the usual) or by the running statistics, as tests
  // need it.
  void NormaliseByRunningStatistics(bool on) { running_statistics_only_ = on; }

  // Copies of all batch-norm buffers, in memory that is there from the start, and back.
  void SaveBuffers();
  void RestoreBuffers();
  void ClearGradient();  // in place

  // Accumulate keeps the inputs of segments of so many stages and computes the rest again in its
  // backward (engine/train/checkpointed_forward.h). 0: it keeps everything.
  void SetCheckpointStages(int stages) { checkpoint_stages_ = stages; }

  const at::Tensor& gradient() const { return gradient_; }  // flat float32, summed since BeginStep
  const at::Tensor& statistics() const { return statistics_; }  // flat float32
  NetworkImpl& network() { return *network_; }

 private:
  void SetMomentum(double momentum);

  std::shared_ptr<NetworkImpl> network_;  // LibTorch's modules are shared
  std::int64_t low_count_;
  at::Tensor gradient_;      // of the step; undefined in a kForward replica
  at::Tensor low_gradient_;  // of the micro-batch; defined in bf16 training alone
  at::Tensor statistics_;
  at::Tensor counters_;  // int64: the batch norms' num_batches_tracked
  at::Tensor saved_statistics_;
  at::Tensor saved_counters_;
  double momentum_;
  int checkpoint_stages_ = 0;
  bool running_statistics_only_ = false;
};

}  // namespace az
