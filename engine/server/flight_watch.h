#pragma once
// FlightWatch: since when a runner has been busy, and with what, for the watchdog.

#include <atomic>
#include <cstdint>
#include <optional>

#include "engine/server/block_queue.h"
#include "engine/server/run_times.h"

namespace az {

// Written by the runner's thread, read by any.
class FlightWatch {
 public:
  void Begin(const SealedBatch& batch) {
    model_.store(batch.model.value(), std::memory_order_relaxed);
    bucket_.store(batch.bucket, std::memory_order_relaxed);
    // Release: who sees the start sees the batch it belongs to, or a later one.
    since_ns_.store(ToNs(batch.sealed), std::memory_order_release);
  }
  void End() { since_ns_.store(0, std::memory_order_release); }

  // Time beyond the batch's hang limit; nullopt within it.
  std::optional<Duration> Overdue(const RunTimes& times, TimePoint now) const {
    const std::uint64_t since = since_ns_.load(std::memory_order_acquire);
    if (since == 0) return std::nullopt;
    const int model = model_.load(std::memory_order_relaxed);
    const Duration limit = times.HangLimit(model, bucket_.load(std::memory_order_relaxed));
    const Duration over = now - FromNs(since) - limit;
    return over > Duration::zero() ? std::optional(over) : std::nullopt;
  }

 private:
  std::atomic<std::uint64_t> since_ns_{0};
  std::atomic<int> model_{0};
  std::atomic<int> bucket_{0};
};

}  // namespace az
