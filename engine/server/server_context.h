#pragma once
// ServerContext: what the parts of one inference server share. No logic of its own.

#include <atomic>
#include <cstdint>

#include "base/log.h"
#include "engine/ipc/segment.h"
#include "engine/server/memory_ladder.h"
#include "engine/server/model_slots.h"
#include "engine/server/run_times.h"
#include "engine/server/server_options.h"

namespace az {

// Thread-safe, as its members are. The segment and the log outlive it.
struct ServerContext {
  ServerContext(Segment& shared, std::uint32_t epoch, ServerOptions all, Log& to)
      : segment(shared),
        device_epoch(epoch),
        options(std::move(all)),
        log(to),
        models(shared),
        times(options.buckets),
        ladder(options.buckets) {}

  // The dispatcher looks again, now: a slot, a model or the stop flag changed. Store the change
  // before.
  void Poke() {
    events.fetch_add(1, std::memory_order_release);
    segment.header().bell.Ring();
  }

  Segment& segment;
  const std::uint32_t device_epoch;
  const ServerOptions options;
  Log& log;
  ModelSlots models;
  RunTimes times;
  MemoryLadder ladder;
  std::atomic<std::uint32_t> events{0};  // release in Poke, acquire in the dispatcher's ready()
  std::atomic<bool> stop{false};
  std::atomic<bool> halted{false};  // restart_on_fault: set by completion, nothing more is sealed
  std::atomic<bool> idle{false};
  std::atomic<bool> suspects_wait{
      false};                     // set by the dispatcher: the end of a batch matters to it
  std::atomic<int> in_flight{0};  // batches
};

}  // namespace az
