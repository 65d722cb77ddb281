#pragma once
// Dispatcher: collects what workers submitted and seals batches as the policy says. Sleeps on the
// segment's bell.

#include "base/clock.h"
#include "engine/server/batch_policy.h"
#include "engine/server/block_queue.h"
#include "engine/server/server_context.h"

namespace az {

// Confined to whoever holds the baton: one runner thread of the pool at a time, or the pipeline's
// own thread.
class Dispatcher {
 public:
  explicit Dispatcher(ServerContext& context);

  void Recover() { queue_.Recover(); }

  // What the policy cannot know from the queues.
  struct Load {
    int free_runners = 0;
    TimePoint device_free{};
    Duration lead{};
  };
  // Collects and decides once. True: `batch` is sealed. False: nothing to run now; Sleep is next.
  bool TrySeal(const Load& load, SealedBatch& batch);
  // Until something is submitted, Poke, or the time TrySeal found.
  void Sleep();

 private:
  bool AllLanesAsleep() const;

  ServerContext& context_;
  BlockQueue queue_;
  BatchPolicy policy_;
  std::uint32_t seen_events_ = 0;
  TimePoint wake_at_{};
};

}  // namespace az
