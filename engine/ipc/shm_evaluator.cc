#include "engine/ipc/shm_evaluator.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/strings.h"

namespace az {
namespace {

bool IsAnswer(BlockState state) {
  return state == BlockState::kDone || state == BlockState::kFailed;
}

Error FailedAnswer(const BlockLine& line) {
  const auto status = static_cast<BlockStatus>(line.status);
  const auto text = StrCat("batch of ", line.rows, " rows for model slot ", line.model, ": ");
  switch (status) {
    case BlockStatus::kOk:
      break;
    case BlockStatus::kBadRequest:
      return {Errc::kInvalid, StrCat(text, "the server refused its descriptor")};
    case BlockStatus::kNoModel:
      return {Errc::kNoModel, StrCat(text, "the slot holds no weights")};
    case BlockStatus::kNotFinite:
      return {Errc::kNotFinite, StrCat(text, "the network answered NaN or infinity")};
    case BlockStatus::kNoMemory:
      return {Errc::kNoMemory, StrCat(text, "the device has no memory for the smallest bucket")};
    case BlockStatus::kPoisoned:
      return {Errc::kCorrupt,
              StrCat(text, "its forward ended the server ", line.attempts, " times")};
  }
  return {Errc::kCorrupt, StrCat(text, "failed with unknown status ", line.status)};
}

}  // namespace

ShmEvaluator::ShmEvaluator(Segment& segment, std::uint32_t lane, std::uint32_t epoch)
    : segment_(segment),
      lane_(lane),
      epoch_(epoch),
      next_request_(std::uint64_t{epoch} << 32),
      seen_notices_(segment.lane(lane).notices.load(std::memory_order_acquire)) {
  segment_.Register(segment_.worker(lane_), epoch_, ProcessState::kRunning);
  Adopt();
}

ShmEvaluator::~ShmEvaluator() { FreeDropped(); }

void ShmEvaluator::Adopt() {
  segment_.Reached(FailPoint::kAdopting);
  for (int i = 0; i < max_batches(); ++i) {
    if (LoadState(line(i)) == BlockState::kFree) continue;
    uses_[static_cast<std::size_t>(i)] = Use::kDropped;
    segment_.Count(lane_, LaneCounter::kAdopted);
  }
  FreeDropped();
  if (!AnyDropped()) return;
  // The predecessor may have died between its store of SUBMITTED and its ring.
  segment_.MarkPending(lane_);
  segment_.header().bell.Ring();
}

void ShmEvaluator::FreeDropped() {
  for (int i = 0; i < max_batches(); ++i) {
    if (uses_[static_cast<std::size_t>(i)] != Use::kDropped || !IsAnswer(LoadState(line(i)))) {
      continue;
    }
    StoreState(line(i), BlockState::kFree, Role::kWorker);
    uses_[static_cast<std::size_t>(i)] = Use::kUnused;
  }
}

int ShmEvaluator::FindUnused() const {
  const auto end = uses_.begin() + max_batches();
  const auto found = std::find(uses_.begin(), end, Use::kUnused);
  return found == end ? -1 : static_cast<int>(found - uses_.begin());
}

bool ShmEvaluator::AnyDropped() const {
  return std::find(uses_.begin(), uses_.end(), Use::kDropped) != uses_.end();
}

bool ShmEvaluator::AnyDroppedAnswered() const {
  for (int i = 0; i < max_batches(); ++i) {
    if (uses_[static_cast<std::size_t>(i)] == Use::kDropped && IsAnswer(LoadState(line(i)))) {
      return true;
    }
  }
  return false;
}

Result<EvalBatch> ShmEvaluator::Reserve(ModelId model, int rows, Deadline deadline) {
  if (rows < 1 || rows > max_rows()) {
    return Error{Errc::kInvalid,
                 StrCat("reserve ", rows, " rows: a block holds 1 to ", max_rows())};
  }
  if (model.value() >= segment_.shape().models) {
    return Error{Errc::kInvalid, StrCat("reserve rows for model slot ", model.value(),
                                        ": there are ", segment_.shape().models)};
  }
  FreeDropped();
  while (FindUnused() < 0) {
    if (!AnyDropped()) return Error{Errc::kTimeout, "no block free"};
    AZ_RETURN_IF_ERROR(SleepUntil([this] { return AnyDroppedAnswered(); }, deadline));
    FreeDropped();
  }
  const int block = FindUnused();
  const auto k = static_cast<std::uint32_t>(block);
  uses_[k] = Use::kReserved;
  const SegmentShape& shape = segment_.shape();
  return EvalBatch(this, block, model, rows,
                   {.planes = segment_.planes(lane_, k).data(),
                    .logits = segment_.logits(lane_, k).data(),
                    .values = segment_.values(lane_, k).data(),
                    .words = static_cast<int>(shape.in_words),
                    .actions = static_cast<int>(shape.num_actions)});
}

Result<void> ShmEvaluator::Submit(EvalBatch& batch) {
  Use& use = uses_[static_cast<std::size_t>(batch.block())];
  if (use != Use::kReserved) {
    return Error{Errc::kInvalid, StrCat("submit block ", batch.block(), ": submitted before")};
  }
  BlockLine& to = line(batch.block());
  to.lane_epoch = epoch_;
  to.rows = static_cast<std::uint16_t>(batch.rows());
  to.model = batch.model().value();
  to.attempts = 0;
  to.request = ++next_request_;
  to.submit_ns = NowNs();
  batch.set_request(to.request);
  use = Use::kSubmitted;
  segment_.Reached(FailPoint::kFilled);
  StoreState(to, BlockState::kSubmitted, Role::kWorker);
  segment_.Reached(FailPoint::kSubmitted);
  segment_.MarkPending(lane_);
  segment_.Reached(FailPoint::kMarked);
  segment_.header().bell.Ring();
  segment_.Reached(FailPoint::kRung);
  return {};
}

bool ShmEvaluator::IsAnswered(const EvalBatch& batch) const {
  return IsAnswer(LoadState(line(batch.block())));
}

template <class Ready>
Result<void> ShmEvaluator::SleepUntil(Ready ready, Deadline deadline) {
  LaneHeader& header = segment_.lane(lane_);
  while (true) {
    Segment::Beat(header.worker);
    if (ready()) return {};
    const std::uint32_t notices = header.notices.load(std::memory_order_acquire);
    if (notices != seen_notices_) {
      seen_notices_ = notices;
      return Error{Errc::kTimeout, "notice"};
    }
    const auto limit = std::chrono::ceil<std::chrono::microseconds>(deadline.Left(kLongestSleep));
    if (limit <= limit.zero()) return Error{Errc::kTimeout, "still in flight"};
    const TimePoint asleep = std::chrono::steady_clock::now();
    const bool woken = header.bell.Await(
        [&] { return ready() || header.notices.load(std::memory_order_acquire) != seen_notices_; },
        limit);
    const Duration slept = std::chrono::steady_clock::now() - asleep;
    segment_.Count(lane_, LaneCounter::kSleeps);
    segment_.Count(lane_, LaneCounter::kAsleepNs, static_cast<std::uint64_t>(slept.count()));
    if (!woken) segment_.Count(lane_, LaneCounter::kTimeouts);
  }
}

Result<void> ShmEvaluator::Wait(EvalBatch& batch, Deadline deadline) {
  const Use use = uses_[static_cast<std::size_t>(batch.block())];
  AZ_CHECK(use == Use::kSubmitted || use == Use::kTaken) << "not submitted";
  AZ_RETURN_IF_ERROR(SleepUntil([&] { return IsAnswered(batch); }, deadline));
  return TakeAnswer(batch);
}

Result<int> ShmEvaluator::WaitAny(std::span<EvalBatch* const> batches, Deadline deadline) {
  int answered = -1;
  const auto ready = [&] {
    for (std::size_t i = 0; i < batches.size(); ++i) {
      if (!IsAnswered(*batches[i])) continue;
      answered = static_cast<int>(i);
      return true;
    }
    return false;
  };
  AZ_RETURN_IF_ERROR(SleepUntil(ready, deadline));
  // A failure is told by Wait: here it would not say whose it is.
  (void)TakeAnswer(*batches[static_cast<std::size_t>(answered)]);
  return answered;
}

Result<void> ShmEvaluator::TakeAnswer(EvalBatch& batch) {
  segment_.Reached(FailPoint::kAnswerSeen);
  const BlockLine& from = line(batch.block());
  AZ_CHECK_EQ(from.request, batch.request());
  Use& use = uses_[static_cast<std::size_t>(batch.block())];
  if (use != Use::kTaken) CountAnswer(from);
  use = Use::kTaken;
  if (LoadState(from) == BlockState::kFailed) return FailedAnswer(from);
  batch.set_version(from.version);
  return {};
}

void ShmEvaluator::CountAnswer(const BlockLine& from) {
  segment_.worker(lane_).progress.fetch_add(1, std::memory_order_relaxed);
  if (LoadState(from) == BlockState::kFailed) {
    segment_.Count(lane_, LaneCounter::kFailedBlocks);
    return;
  }
  segment_.Count(lane_, LaneCounter::kRows, from.rows);
  segment_.Count(lane_, from.rows == segment_.shape().rows ? LaneCounter::kFullBlocks
                                                           : LaneCounter::kPartialBlocks);
  segment_.Count(lane_, LaneCounter::kRoundTripNs, NowNs() - std::min(NowNs(), from.submit_ns));
}

void ShmEvaluator::Release(int block) {
  Use& use = uses_[static_cast<std::size_t>(block)];
  if (use == Use::kReserved) {
    use = Use::kUnused;  // its state never left FREE
    return;
  }
  use = Use::kDropped;
  FreeDropped();
  segment_.Reached(FailPoint::kFreed);
}

}  // namespace az
