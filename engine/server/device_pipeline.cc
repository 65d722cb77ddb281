#include "engine/server/device_pipeline.h"

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>

#include "base/stats.h"

namespace az {

void DevicePipeline::LeadTime::Add(Duration launch) {
  samples_s_[count_++ % samples_s_.size()] = Seconds(launch);
  if (count_ % 16 != 0) return;
  const std::span samples(samples_s_.data(), std::min(count_, samples_s_.size()));
  const auto p95 = std::chrono::duration<double>(Quantile(samples, 0.95));
  lead_ = std::clamp<Duration>(std::chrono::duration_cast<Duration>(p95),
                               std::chrono::microseconds(20), std::chrono::microseconds(500));
}

DevicePipeline::DevicePipeline(ServerContext& context,
                               std::vector<std::unique_ptr<BatchRunner>> slots)
    : context_(context), completion_(context), dispatcher_(context) {
  for (auto& runner : slots) {
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->runner = std::move(runner);
  }
}

Result<void> DevicePipeline::Begin() {
  dispatcher_.Recover();
  AZ_ASSIGN_OR_RETURN(dispatch_thread_, StartThread("az-dispatch", [this] { DispatchLoop(); }));
  auto completion = StartThread("az-complete", [this] { CompletionLoop(); });
  if (!completion.has_value()) {
    Stop();
    return std::move(completion).error();
  }
  completion_thread_ = *std::move(completion);
  return {};
}

void DevicePipeline::Stop() {
  context_.stop.store(true, std::memory_order_release);
  context_.Poke();
  if (dispatch_thread_.joinable()) dispatch_thread_.join();
  if (completion_thread_.joinable()) completion_thread_.join();
}

DevicePipeline::Slot* DevicePipeline::FreeSlot() {
  MutexLock lock(mutex_);
  for (auto& slot : slots_) {
    if (slot->is_free) return slot.get();
  }
  return nullptr;
}

TimePoint DevicePipeline::DeviceFree() {
  MutexLock lock(mutex_);
  return device_free_;
}

void DevicePipeline::DispatchLoop() {
  SealedBatch batch;
  while (!context_.stop.load(std::memory_order_acquire)) {
    Slot* slot = FreeSlot();
    // The device works on one batch at a time: slots overlap copies, they do not share the rows.
    const Dispatcher::Load load{.free_runners = slot != nullptr ? 1 : 0,
                                .device_free = DeviceFree(),
                                .lead = lead_.value()};
    if (!dispatcher_.TrySeal(load, batch)) {
      dispatcher_.Sleep();
      continue;
    }
    std::swap(slot->batch, batch);
    LaunchSlot(*slot);
  }
  MutexLock lock(mutex_);
  no_more_ = true;
  launched_cv_.notify_all();
}

void DevicePipeline::LaunchSlot(Slot& slot) {
  const SealedBatch& batch = slot.batch;
  slot.watch.Begin(batch);
  slot.run.emplace(*slot.runner, batch, context_.segment.shape());
  slot.launched = slot.run->Launch();
  const TimePoint now = std::chrono::steady_clock::now();
  lead_.Add(now - batch.sealed);
  slot.estimate = context_.times.Estimate(batch.model.value(), batch.bucket);
  MutexLock lock(mutex_);
  device_free_ = std::max(now, device_free_) + slot.estimate;
  slot.is_free = false;
  launched_.push_back(&slot);
  launched_cv_.notify_one();
}

DevicePipeline::Slot* DevicePipeline::NextLaunched() {
  MutexLock lock(mutex_);
  std::unique_lock native(mutex_.native(), std::adopt_lock);
  while (launched_.empty() && !no_more_) launched_cv_.wait(native);
  native.release();  // `lock` unlocks
  if (launched_.empty()) return nullptr;
  Slot* slot = launched_.front();
  launched_.pop_front();
  return slot;
}

void DevicePipeline::CompletionLoop() {
  while (Slot* slot = NextLaunched()) FinishSlot(*slot);
}

void DevicePipeline::FinishSlot(Slot& slot) {
  Result<WeightsVersion> result = 0;
  if (slot.launched.has_value()) {
    result = slot.run->Finish();
  } else {
    result = slot.launched.error();
  }
  context_.segment.Reached(FailPoint::kRan);
  const TimePoint now = std::chrono::steady_clock::now();
  const SealedBatch& batch = slot.batch;
  // The device began it when the batch before it ended: the wait for that one is none of its time.
  const Duration took = now - std::max(batch.sealed, std::exchange(last_done_, now));
  completion_.Finish(slot.batch, result, took);
  slot.watch.End();
  slot.run.reset();
  context_.segment.Count(ServerCounter::kBusyNs, static_cast<std::uint64_t>(took.count()));
  context_.segment.device().progress.fetch_add(1, std::memory_order_relaxed);
  context_.in_flight.fetch_sub(1, std::memory_order_seq_cst);
  {
    MutexLock lock(mutex_);
    slot.is_free = true;
    device_free_ = now;  // what is still launched begins now
    for (const Slot* next : launched_) device_free_ += next->estimate;
  }
  context_.Poke();
}

std::optional<Duration> DevicePipeline::Overdue() const {
  std::optional<Duration> worst;
  const TimePoint now = std::chrono::steady_clock::now();
  for (const auto& slot : slots_) {
    if (const auto over = slot->watch.Overdue(context_.times, now)) {
      worst = std::max(worst.value_or(Duration::zero()), *over);
    }
  }
  return worst;
}

}  // namespace az
