#pragma once
// BlockQueue: which SUBMITTED blocks wait, in order of submission, and how a batch is taken from
// them. The only reader of the workers' descriptors: each is copied once, checked, and only the
// copy is used.

#include <array>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "engine/ipc/batch_runner.h"
#include "engine/ipc/segment.h"
#include "engine/server/batch_policy.h"
#include "engine/server/model_slots.h"

namespace az {

struct QueuedBlock {
  std::uint16_t lane = 0;
  std::uint16_t block = 0;
  std::uint16_t model = 0;
  std::uint16_t rows = 0;
  std::uint32_t attempts = 0;
  TimePoint submitted{};
};

// Blocks that are TAKEN by this server, all of one model.
struct SealedBatch {
  ModelId model{};
  int rows = 0;
  int bucket = 0;
  SealReason reason = SealReason::kReady;
  TimePoint sealed{};
  int clean_ups = 0;  // of the MemoryLadder, done before
  std::vector<QueuedBlock> blocks;
  std::vector<BlockView> views;  // of the blocks, in their order
};

struct BlockQueueOptions {
  std::uint32_t device_epoch = 0;
  int max_attempts = 3;  // 0: no limit
  Duration sweep = std::chrono::milliseconds(5);
};

// Confined to whoever holds the baton. References must outlive it.
class BlockQueue {
 public:
  BlockQueue(Segment& segment, const ModelSlots& models, const BlockQueueOptions& options,
             const Log& log);

  // At start, before anything else: what older epochs had TAKEN is SUBMITTED again, every lane is
  // looked at, and every worker is rung, since the dead server may have died between an answer and
  // its ring. REQUIRES: it was reaped.
  void Recover();

  // Queues the blocks of lanes with a pending bit, of all lanes when a sweep is due. Bad
  // descriptors, blocks that exhausted their attempts and blocks of empty model slots FAIL here.
  void Collect(TimePoint now);

  std::array<ModelQueue, kMaxModels> queues() const;
  int suspects() const;  // whose model is ready

  // Marks the chosen blocks TAKEN. `batch` is reused memory. False when none was left to take.
  bool Take(const Seal& seal, std::span<const int> buckets, TimePoint now, SealedBatch& batch);

 private:
  void Look(std::uint32_t lane, bool was_hinted, TimePoint now);
  void Enqueue(const QueuedBlock& block);
  void FailEmptyModels();
  void Fail(const QueuedBlock& block, BlockStatus status);
  bool TakeOne(const QueuedBlock& block, SealedBatch& batch);
  bool& queued(const QueuedBlock& block) { return queued_[block.lane * kMaxBlocks + block.block]; }

  Segment& segment_;
  const ModelSlots& models_;
  const BlockQueueOptions options_;
  const Log& log_;
  std::array<std::vector<QueuedBlock>, kMaxModels> waiting_;  // oldest first
  std::vector<QueuedBlock> suspects_;
  std::array<bool, std::size_t{kMaxLanes} * kMaxBlocks> queued_{};
  TimePoint next_sweep_{};
};

}  // namespace az
