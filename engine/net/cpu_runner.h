#pragma once
// CpuRunner: BatchRunner of one CPU thread. It uses exactly one LibTorch thread, because runners
// and learner share the cores and OpenMP's barriers lose by factors when a core is taken away
// (docs/performance.md).

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "engine/ipc/batch_runner.h"
#include "engine/net/inference_net.h"
#include "engine/net/model_store.h"

namespace az {

// Makes the calling thread run LibTorch's operators alone. Every thread of ours that computes calls
// it first.
void UseOneTorchThread();

// Confined to the thread of its first Launch. The store must outlive it.
class CpuRunner final : public BatchRunner {
 public:
  // `max_rows`: of its largest bucket. Its memory grows with what is asked; the limit is there
  // because a GPU's runner has it, so that what breaks there breaks here.
  explicit CpuRunner(const ModelStore& store, int max_rows = std::numeric_limits<int>::max())
      : store_(store), max_rows_(max_rows) {}

  // Gathers the rows; kInvalid when they are none or more than `bucket`, or that above its limit.
  Result<WeightsVersion> Launch(ModelId model, int bucket,
                                std::span<const BlockView> blocks) override;
  // The forward.
  Result<void> Finish() override;

 private:
  const ModelStore& store_;
  const int max_rows_;
  bool thread_ready_ = false;
  std::shared_ptr<const PublishedNet>
      model_;  // from Launch to Finish; shared with the store, see ModelStore::Get
  std::vector<BlockView> blocks_;
  InferenceBatch batch_;
  InferenceScratch scratch_;
  std::vector<std::uint64_t> planes_;
  std::vector<float> logits_;
  std::vector<float> values_;
};

}  // namespace az
