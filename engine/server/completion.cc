#include "engine/server/completion.h"

#include <bit>
#include <bitset>
#include <thread>

#include "base/check.h"
#include "base/strings.h"

namespace az {
namespace {

// Between tries of what just failed and is tried again.
constexpr auto kBreather = std::chrono::milliseconds(100);

}  // namespace

bool AllFinite(std::span<const float> values) {
  // By exponent bits: an OR over lanes that compilers turn into vector code.
  std::uint32_t bad = 0;
  for (const float value : values) {
    const std::uint32_t exponent = std::bit_cast<std::uint32_t>(value) & 0x7F800000u;
    bad |= static_cast<std::uint32_t>(exponent == 0x7F800000u);
  }
  return bad == 0;
}

void Completion::Finish(SealedBatch& batch, const Result<WeightsVersion>& result, Duration took) {
  const Verdict for_all = ForAll(batch, result);
  const auto actions = static_cast<std::size_t>(context_.segment.shape().num_actions);
  bool any_again = false;
  int not_finite = 0;
  std::vector<bool> bad(batch.blocks.size(), false);
  for (std::size_t i = 0; result.has_value() && i < batch.views.size(); ++i) {
    const auto rows = static_cast<std::size_t>(batch.views[i].rows);
    bad[i] = !AllFinite({batch.views[i].logits, rows * actions}) ||
             !AllFinite({batch.views[i].values, rows});
    not_finite += bad[i];
  }
  const WeightsVersion version = result.has_value() ? *result : 0;
  for (std::size_t i = 0; i < batch.blocks.size(); ++i) {
    const Verdict verdict =
        bad[i] ? Verdict{.state = BlockState::kFailed, .status = BlockStatus::kNotFinite} : for_all;
    any_again |= verdict.state == BlockState::kSubmitted;
    Store(batch, i, verdict, version);
  }
  if (result.has_value()) CountBatch(batch, took);
  if (not_finite > 0) {
    Report("not_finite", batch,
           {Errc::kNotFinite, StrCat(not_finite, " blocks of NaN or infinity")});
  }
  context_.segment.Reached(FailPoint::kAllAnswered);
  Ring(batch, any_again);
  batch.blocks.clear();
  batch.views.clear();
}

Completion::Verdict Completion::ForAll(const SealedBatch& batch,
                                       const Result<WeightsVersion>& result) {
  if (result.has_value()) {
    context_.ladder.Success(batch.bucket);
    return {};
  }
  const Error& error = result.error();
  if (error.code == Errc::kNoMemory) return OutOfMemory(batch, error);
  if (error.code == Errc::kNoModel) {
    return {.state = BlockState::kFailed, .status = BlockStatus::kNoModel};
  }
  // As if the server had died: the blocks become suspects and are run alone.
  context_.segment.Count(ServerCounter::kRunnerErrors);
  HaltBeforeRestart();
  Report("runner_error", batch, error);
  if (batch.blocks.front().attempts > 1) std::this_thread::sleep_for(kBreather);
  return {.state = BlockState::kSubmitted};
}

Completion::Verdict Completion::OutOfMemory(const SealedBatch& batch, const Error& error) {
  context_.segment.Count(ServerCounter::kOutOfMemory);
  const Verdict again{.state = BlockState::kSubmitted, .forgive = true};
  const MemoryStep step = context_.ladder.OutOfMemory(batch.bucket, batch.clean_ups);
  if (step == MemoryStep::kGivenUpAlready) return again;
  if (step != MemoryStep::kExhausted) {
    const int largest = context_.ladder.buckets().back();
    // Before the rows are back in the queue. What the step's rows held is free by now.
    if (context_.options.release_memory) context_.options.release_memory();
    if (step == MemoryStep::kCleanUp) context_.ladder.CleanedUp();
    context_.log.Warn(StrCat("event=out_of_memory refused_rows=", batch.bucket,
                             " largest_rows=", largest, " error=", error.message));
    if (context_.options.on_out_of_memory) {
      context_.options.on_out_of_memory(
          {.error = error, .refused_rows = batch.bucket, .step = step, .largest_rows = largest});
    }
    return again;
  }
  HaltBeforeRestart();
  Report("out_of_memory", batch, error);
  if (context_.options.restart_on_fault) return again;
  return {.state = BlockState::kFailed, .status = BlockStatus::kNoMemory};
}

void Completion::HaltBeforeRestart() {
  // Before the blocks are back in the queue.
  if (context_.options.restart_on_fault) context_.halted.store(true, std::memory_order_release);
}

void Completion::Store(const SealedBatch& batch, std::size_t index, const Verdict& verdict,
                       WeightsVersion version) {
  const QueuedBlock& block = batch.blocks[index];
  BlockLine& line = context_.segment.block(block.lane, block.block);
  // Only a worker that writes what is not its own can have changed it.
  if (line.state.load(std::memory_order_acquire) !=
      StateWord(BlockState::kTaken, context_.device_epoch)) {
    context_.segment.Count(ServerCounter::kViolations);
    return;
  }
  if (verdict.state == BlockState::kSubmitted) {
    line.attempts = verdict.forgive ? block.attempts - 1 : block.attempts;
    context_.segment.Count(ServerCounter::kRequeued);
  } else {
    line.version = version;
    line.batch_rows = static_cast<std::uint32_t>(batch.rows);
    line.status = static_cast<std::uint16_t>(verdict.status);
    if (verdict.status != BlockStatus::kOk) {
      context_.segment.Count(ServerCounter::kFailed, 1, static_cast<int>(verdict.status));
    }
  }
  context_.segment.Reached(FailPoint::kDescribed);
  StoreState(line, verdict.state, Role::kServer);
  context_.segment.Reached(FailPoint::kAnswered);
}

void Completion::Ring(const SealedBatch& batch, bool any_again) {
  std::bitset<kMaxLanes> rung;
  std::uint64_t rings = 0;
  std::uint64_t wakes = 0;
  for (const QueuedBlock& block : batch.blocks) {
    if (rung.test(block.lane)) continue;
    rung.set(block.lane);
    if (any_again) context_.segment.MarkPending(block.lane);
    ++rings;
    wakes += context_.segment.lane(block.lane).bell.Ring();
    context_.segment.Reached(FailPoint::kLaneRung);
  }
  context_.segment.Count(ServerCounter::kRings, rings);
  context_.segment.Count(ServerCounter::kWakes, wakes);
  if (any_again) context_.Poke();
}

void Completion::CountBatch(const SealedBatch& batch, Duration took) {
  const Segment& segment = context_.segment;
  const int bucket = context_.times.Index(batch.bucket);
  context_.times.Add(batch.model.value(), batch.bucket, took);
  segment.Count(ServerCounter::kBatches);
  segment.Count(ServerCounter::kRows, static_cast<std::uint64_t>(batch.rows));
  segment.Count(ServerCounter::kSealFull, 1, static_cast<int>(batch.reason));
  if (batch.bucket > batch.rows) {
    segment.Count(ServerCounter::kPadRows, static_cast<std::uint64_t>(batch.bucket - batch.rows));
  }
  if (bucket >= kMaxCountedBuckets) return;
  segment.Count(ServerCounter::kBucketCount, 1, bucket);
  segment.Count(ServerCounter::kBucketNs, static_cast<std::uint64_t>(took.count()), bucket);
}

void Completion::Report(std::string_view event, const SealedBatch& batch, const Error& error) {
  context_.log.Warn(StrCat("event=", event, " model=", batch.model.value(), " rows=", batch.rows,
                           " bucket=", batch.bucket, " error=", ErrcName(error.code), ": ",
                           error.message));
  if (context_.options.on_fault) context_.options.on_fault(error);
}

}  // namespace az
