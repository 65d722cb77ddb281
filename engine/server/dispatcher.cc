#include "engine/server/dispatcher.h"

#include <algorithm>

namespace az {

Dispatcher::Dispatcher(ServerContext& context)
    : context_(context),
      queue_(context.segment, context.models,
             {.device_epoch = context.device_epoch,
              .max_attempts = context.options.max_attempts,
              .sweep = context.options.sweep},
             context.log) {
  policy_.buckets = context.options.buckets;
  if (context.options.gpu_pipeline) {
    policy_.min_rows = context.options.min_rows;
    policy_.linger = context.options.linger;
  }
}

bool Dispatcher::TrySeal(const Load& load, SealedBatch& batch) {
  // Before the look: what changes after it wakes Sleep at once.
  seen_events_ = context_.events.load(std::memory_order_acquire);
  const TimePoint now = std::chrono::steady_clock::now();
  queue_.Collect(now);
  const int clean_ups = context_.ladder.clean_ups();
  policy_.buckets.resize(static_cast<std::size_t>(context_.ladder.size()));
  policy_.starve = context_.times.Starve();
  policy_.lead = load.lead;
  policy_.poll = context_.idle.load(std::memory_order_relaxed) ? std::chrono::milliseconds(100)
                                                               : std::chrono::milliseconds(2);
  PolicyInput input;
  input.queues = queue_.queues();
  const bool halted = context_.halted.load(std::memory_order_acquire);
  input.free_runners = halted ? 0 : load.free_runners;
  input.suspects = queue_.suspects();
  // Before in_flight: a batch that ends in between sees the flag and pokes.
  context_.suspects_wait.store(input.suspects > 0, std::memory_order_seq_cst);
  input.in_flight = context_.in_flight.load(std::memory_order_seq_cst);
  input.lanes_asleep = policy_.linger > Duration::zero() && AllLanesAsleep();
  input.now = now;
  input.device_free = load.device_free;
  const Decision decision = Decide(policy_, input);
  wake_at_ = decision.wake_at;
  if (!decision.seal || !queue_.Take(*decision.seal, policy_.buckets, now, batch)) return false;
  batch.clean_ups = clean_ups;
  context_.in_flight.fetch_add(1, std::memory_order_seq_cst);
  return true;
}

void Dispatcher::Sleep() {
  const auto limit = std::chrono::ceil<std::chrono::microseconds>(
      Deadline::At(wake_at_).Left(std::chrono::milliseconds(100)));
  Header& header = context_.segment.header();
  header.bell.Await(
      [&] {
        if (context_.stop.load(std::memory_order_acquire) ||
            context_.events.load(std::memory_order_acquire) != seen_events_) {
          return true;
        }
        return std::any_of(std::begin(header.pending), std::end(header.pending),
                           [](auto& word) { return word.load(std::memory_order_acquire) != 0; });
      },
      limit);
}

bool Dispatcher::AllLanesAsleep() const {
  for (std::uint32_t i = 0; i < context_.segment.shape().lanes; ++i) {
    const LaneHeader& lane = context_.segment.lane(i);
    if (lane.worker.pid.load(std::memory_order_relaxed) != 0 && !lane.bell.HasSleeper()) {
      return false;
    }
  }
  return true;
}

}  // namespace az
