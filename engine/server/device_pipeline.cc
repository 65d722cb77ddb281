#include "engine/server/device_pipeline.h"

#include <algorithm>
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

DevicePipeline::Slot* DevicePipeline::FreeSlot(int& count) {
  MutexLock lock(mutex_);
  Slot* first = nullptr;
  count = 0;
  for (auto& slot : slots_) {
    if (!slot->is_free) continue;
    ++count;
    if (first == nullptr) first = slot.get();
  }
  return first;
}

void DevicePipeline::DispatchLoop() {
  SealedBatch batch;
  while (!context_.stop.load(std::memory_order_acquire)) {
    int free_slots = 0;
    Slot* slot = FreeSlot(free_slots);
    // The device works on one batch at a time: slots overlap copies, they do not share the rows.
    const Dispatcher::Load load{.free_runners = std::min(free_slots, 1),
                                .device_free = device_free_,
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
  device_free_ =
      std::max(now, device_free_) + context_.times.Estimate(batch.model.value(), batch.bucket);
  MutexLock lock(mutex_);
  slot.is_free = false;
  launched_.push_back(&slot);
  launched_cv_.notify_one();
}

DevicePipeline::Slot* DevicePipeline::NextLaunched() {
  std::unique_lock lock(mutex_.native());
  launched_cv_.wait(lock, [this] { return !launched_.empty() || no_more_; });
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
  const Duration busy = std::chrono::steady_clock::now() - slot.batch.sealed;
  completion_.Finish(slot.batch, result);
  slot.watch.End();
  slot.run.reset();
  context_.segment.Count(ServerCounter::kBusyNs, static_cast<std::uint64_t>(busy.count()));
  context_.segment.device().progress.fetch_add(1, std::memory_order_relaxed);
  context_.in_flight.fetch_sub(1, std::memory_order_seq_cst);
  {
    MutexLock lock(mutex_);
    slot.is_free = true;
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
