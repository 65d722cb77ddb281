#pragma once
// StepTransaction: a training step's forwards and backwards, done or undone. What they change is
// little: batch-norm buffers, gradients, random generators. Weights, moments and averages are
// written by the Optimizer alone, which runs after the transaction is committed. The data cursor is
// the caller's batch: it is the same one until the step is done.

#include <ATen/core/Generator.h>

#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "engine/train/replica.h"
#include "engine/train/shard_team.h"
#include "scheduler/device_memory.h"

namespace az {

// Confined to the team's thread.
class StepTransaction {
 public:
  // `memory` may be null: nothing is measured or released then. All outlive it.
  StepTransaction(ShardTeam& team, const std::vector<std::unique_ptr<Replica>>& replicas,
                  at::Device device, DeviceMemory* memory);

  // Keeps copies of what may change. Fails: kNoMemory, and nothing has begun.
  Result<void> Begin();
  void Commit() { rng_states_.clear(); }

  struct Undone {
    std::optional<MemoryRefusal> refusal;  // the newest one before the undoing
    Bytes left;  // still allocated beyond what was at Begin; 0 unless memory leaks
  };
  // Everything as at Begin, gradients 0, cached memory released. REQUIRES: the failed step's
  // tensors are gone, and no handler of its exception is open (both hold memory). Fails: kNoMemory
  // when not even a few bytes can be had; the buffers are as at Begin nevertheless. kUnavailable:
  // the device is lost.
  Result<Undone> Rollback();

 private:
  struct RngState {
    at::Generator generator;
    at::Tensor state;
  };
  // Runs `work` with every shard, on its thread. The first error in shard order.
  template <class Work>
  Result<void> OnShards(Work work);
  Result<void> ReleaseCaches();

  ShardTeam& team_;
  const std::vector<std::unique_ptr<Replica>>& replicas_;
  const at::Device device_;
  DeviceMemory* const memory_;
  std::vector<RngState> rng_states_;
  std::optional<Bytes> baseline_;
};

// Ends what a failed backward left behind: LibTorch keeps the tasks it did not come to, and with
// them up to 88 % of the batch's activations, in a queue of the thread (a GPU's: of the device)
// that only the next backward empties. May throw: it allocates a few bytes.
void DrainAutogradQueue(at::Device device);

}  // namespace az
