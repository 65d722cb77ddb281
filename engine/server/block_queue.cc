#include "engine/server/block_queue.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace az {
namespace {

// A hint that is later than this after the submission was lost or its setter was not running.
constexpr Duration kHintIsLate = std::chrono::milliseconds(1);

}  // namespace

BlockQueue::BlockQueue(Segment& segment, const ModelSlots& models, const BlockQueueOptions& options,
                       const Log& log)
    : segment_(segment), models_(models), options_(options), log_(log) {}

void BlockQueue::Recover() {
  const SegmentShape& shape = segment_.shape();
  for (std::uint32_t lane = 0; lane < shape.lanes; ++lane) {
    for (std::uint32_t k = 0; k < shape.blocks; ++k) {
      BlockLine& line = segment_.block(lane, k);
      if (LoadState(line) != BlockState::kTaken) continue;
      StoreState(line, BlockState::kSubmitted, Role::kServer);
      segment_.Count(ServerCounter::kRequeued);
      segment_.Reached(FailPoint::kRequeued);
    }
  }
  for (std::uint32_t lane = 0; lane < shape.lanes; ++lane) segment_.MarkPending(lane);
  segment_.Reached(FailPoint::kHinted);
  for (std::uint32_t lane = 0; lane < shape.lanes; ++lane) segment_.lane(lane).bell.Ring();
  segment_.Count(ServerCounter::kRestarts);
}

void BlockQueue::Collect(TimePoint now) {
  const bool sweep = now >= next_sweep_;
  if (sweep) next_sweep_ = now + options_.sweep;
  Header& header = segment_.header();
  const std::uint32_t lanes = segment_.shape().lanes;
  for (std::uint32_t first = 0; first < lanes; first += 64) {
    auto& word = header.pending[first / 64];
    // A look before the exchange keeps the line shared while nothing is there.
    std::uint64_t bits = word.load(std::memory_order_relaxed);
    if (bits != 0) bits = word.exchange(0, std::memory_order_acq_rel);
    for (std::uint32_t lane = first; lane < std::min(lanes, first + 64); ++lane) {
      const bool hinted = (bits >> (lane - first) & 1) != 0;
      if (hinted || sweep) Look(lane, hinted, now);
    }
  }
  FailEmptyModels();
  segment_.Reached(FailPoint::kCollected);
}

void BlockQueue::Look(std::uint32_t lane, bool was_hinted, TimePoint now) {
  const SegmentShape& shape = segment_.shape();
  for (std::uint32_t k = 0; k < shape.blocks; ++k) {
    const BlockLine& line = segment_.block(lane, k);
    if (queued_[lane * kMaxBlocks + k] || LoadState(line) != BlockState::kSubmitted) continue;
    QueuedBlock block{.lane = static_cast<std::uint16_t>(lane),
                      .block = static_cast<std::uint16_t>(k),
                      .model = line.model,
                      .rows = line.rows,
                      .attempts = line.attempts,
                      .submitted = std::min(FromNs(line.submit_ns), now)};
    if (!was_hinted && now - block.submitted > kHintIsLate) segment_.Count(ServerCounter::kSwept);
    if (block.rows < 1 || block.rows > shape.rows || block.model >= shape.models) {
      Fail(block, BlockStatus::kBadRequest);
    } else if (options_.max_attempts > 0 &&
               block.attempts >= static_cast<std::uint32_t>(options_.max_attempts)) {
      Fail(block, BlockStatus::kPoisoned);
    } else {
      Enqueue(block);
    }
  }
}

void BlockQueue::Enqueue(const QueuedBlock& block) {
  queued(block) = true;
  auto& into = block.attempts > 0 ? suspects_ : waiting_[block.model];
  auto at = into.end();  // blocks come nearly in order
  while (at != into.begin() && block.submitted < std::prev(at)->submitted) --at;
  into.insert(at, block);
}

void BlockQueue::FailEmptyModels() {
  const auto is_empty = [this](const QueuedBlock& block) {
    return models_.state(block.model) == ModelState::kEmpty;
  };
  const auto fail = [&](std::vector<QueuedBlock>& blocks) {
    for (const QueuedBlock& block : blocks) {
      if (is_empty(block)) Fail(block, BlockStatus::kNoModel);
    }
    std::erase_if(blocks, is_empty);
  };
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (!waiting_[i].empty() && is_empty(waiting_[i].front())) fail(waiting_[i]);
  }
  if (!suspects_.empty()) fail(suspects_);
}

void BlockQueue::Fail(const QueuedBlock& block, BlockStatus status) {
  queued(block) = false;
  BlockLine& line = segment_.block(block.lane, block.block);
  if (LoadState(line) != BlockState::kSubmitted) {
    segment_.Count(ServerCounter::kViolations);
    return;
  }
  line.version = 0;
  line.batch_rows = 0;
  line.status = static_cast<std::uint16_t>(status);
  segment_.Count(ServerCounter::kFailed, 1, static_cast<int>(status));
  if (status != BlockStatus::kNoModel) {
    log_.Warn(StrCat("event=block_refused status=", BlockStatusName(status), " lane=", block.lane,
                     " block=", block.block, " model=", block.model, " rows=", block.rows,
                     " attempts=", block.attempts));
  }
  StoreState(line, BlockState::kFailed, Role::kServer);
  segment_.Count(ServerCounter::kRings);
  if (segment_.lane(block.lane).bell.Ring()) segment_.Count(ServerCounter::kWakes);
}

std::array<ModelQueue, kMaxModels> BlockQueue::queues() const {
  std::array<ModelQueue, kMaxModels> out{};
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const auto& blocks = waiting_[i];
    if (blocks.empty()) continue;
    ModelQueue& queue = out[i];
    for (const QueuedBlock& block : blocks) queue.rows += block.rows;
    queue.blocks = static_cast<int>(blocks.size());
    queue.oldest = blocks.front().submitted;
    queue.is_ready = models_.state(static_cast<int>(i)) == ModelState::kReady;
  }
  return out;
}

int BlockQueue::suspects() const {
  return static_cast<int>(std::count_if(suspects_.begin(), suspects_.end(), [this](auto& block) {
    return models_.state(block.model) == ModelState::kReady;
  }));
}

bool BlockQueue::Take(const Seal& seal, std::span<const int> buckets, TimePoint now,
                      SealedBatch& batch) {
  batch.blocks.clear();
  batch.views.clear();
  batch.rows = 0;
  batch.reason = seal.reason;
  batch.sealed = now;
  if (seal.reason == SealReason::kSuspect) {
    const auto found = std::find_if(suspects_.begin(), suspects_.end(), [this](auto& block) {
      return models_.state(block.model) == ModelState::kReady;
    });
    if (found == suspects_.end()) return false;
    const QueuedBlock block = *found;
    suspects_.erase(found);
    batch.model = ModelId(block.model);
    if (!TakeOne(block, batch)) return false;
  } else {
    auto& blocks = waiting_[static_cast<std::size_t>(seal.model)];
    batch.model = ModelId(static_cast<std::uint16_t>(seal.model));
    std::size_t taken = 0;
    while (taken < blocks.size() &&
           (batch.rows == 0 || batch.rows + blocks[taken].rows <= seal.rows)) {
      TakeOne(blocks[taken++], batch);
    }
    blocks.erase(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  batch.bucket = BucketFor(buckets, batch.rows);
  return !batch.blocks.empty();
}

bool BlockQueue::TakeOne(const QueuedBlock& block, SealedBatch& batch) {
  queued(block) = false;
  BlockLine& line = segment_.block(block.lane, block.block);
  if (LoadState(line) != BlockState::kSubmitted) {
    segment_.Count(ServerCounter::kViolations);  // a worker wrote what is the server's
    return false;
  }
  line.attempts = block.attempts + 1;
  segment_.Reached(FailPoint::kAttemptCounted);
  StoreState(line, BlockState::kTaken, Role::kServer, options_.device_epoch);
  segment_.Reached(FailPoint::kTaken);
  const auto waited = std::max(batch.sealed - block.submitted, Duration::zero());
  segment_.Count(ServerCounter::kQueueWaitNs, static_cast<std::uint64_t>(waited.count()),
                 block.model);
  batch.blocks.push_back(block);
  batch.blocks.back().attempts = block.attempts + 1;
  batch.views.push_back({.planes = segment_.planes(block.lane, block.block).data(),
                         .logits = segment_.logits(block.lane, block.block).data(),
                         .values = segment_.values(block.lane, block.block).data(),
                         .rows = block.rows});
  batch.rows += block.rows;
  return true;
}

}  // namespace az
