#include "engine/server/runner_pool.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "engine/server/batch_run.h"

namespace az {

RunnerPool::RunnerPool(ServerContext& context, std::vector<std::unique_ptr<BatchRunner>> runners)
    : context_(context), completion_(context), dispatcher_(context) {
  for (auto& runner : runners) {
    runners_.push_back(std::make_unique<Runner>());
    runners_.back()->runner = std::move(runner);
  }
}

Result<void> RunnerPool::Begin() {
  {
    MutexLock lock(baton_);
    dispatcher_.Recover();
  }
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    Runner& self = *runners_[i];
    auto thread = StartThread(StrCat("az-runner-", i), [this, &self] { Loop(self); });
    if (!thread.has_value()) {
      Stop();
      return std::move(thread).error();
    }
    self.thread = *std::move(thread);
  }
  return {};
}

void RunnerPool::Stop() {
  context_.stop.store(true, std::memory_order_release);
  context_.Poke();
  for (auto& runner : runners_) {
    if (runner->thread.joinable()) runner->thread.join();
  }
}

bool RunnerPool::NextBatch(SealedBatch& batch) {
  free_runners_.fetch_add(1, std::memory_order_relaxed);
  const TimePoint idle_since = std::chrono::steady_clock::now();
  bool sealed = false;
  {
    MutexLock lock(baton_);
    while (!context_.stop.load(std::memory_order_acquire)) {
      const int free_runners = free_runners_.load(std::memory_order_relaxed);
      sealed = dispatcher_.TrySeal({.free_runners = free_runners}, batch);
      if (sealed) break;
      dispatcher_.Sleep();
    }
    free_runners_.fetch_sub(1, std::memory_order_relaxed);
  }
  const Duration idle = std::chrono::steady_clock::now() - idle_since;
  context_.segment.Count(ServerCounter::kIdleNs, static_cast<std::uint64_t>(idle.count()));
  return sealed;
}

void RunnerPool::Loop(Runner& self) {
  SealedBatch batch;
  while (NextBatch(batch)) {
    self.watch.Begin(batch);
    BatchRun run(*self.runner, batch, context_.segment.shape());
    Result<WeightsVersion> result = 0;
    if (auto launched = run.Launch(); launched.has_value()) {
      result = run.Finish();
    } else {
      result = std::move(launched).error();
    }
    context_.segment.Reached(FailPoint::kRan);
    const Duration busy = std::chrono::steady_clock::now() - batch.sealed;
    completion_.Finish(batch, result, busy);
    self.watch.End();
    context_.segment.Count(ServerCounter::kBusyNs, static_cast<std::uint64_t>(busy.count()));
    context_.segment.device().progress.fetch_add(1, std::memory_order_relaxed);
    context_.in_flight.fetch_sub(1, std::memory_order_seq_cst);
    // Only a suspect waits for the end of others' batches here; a wake-up costs as much as several
    // rows.
    if (context_.suspects_wait.load(std::memory_order_seq_cst)) context_.Poke();
  }
}

std::optional<Duration> RunnerPool::Overdue() const {
  std::optional<Duration> worst;
  const TimePoint now = std::chrono::steady_clock::now();
  for (const auto& runner : runners_) {
    if (const auto over = runner->watch.Overdue(context_.times, now)) {
      worst = std::max(worst.value_or(Duration::zero()), *over);
    }
  }
  return worst;
}

}  // namespace az
