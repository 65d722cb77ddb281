#pragma once
// BatchPrefetcher: assembles the next batches on a thread of its own while the learner works on
// this one.

#include <cstdint>
#include <functional>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/result.h"
#include "engine/data/batch_assembly.h"

namespace az {

// Confined to the thread that takes the batches, but for its own thread.
class BatchPrefetcher {
 public:
  // Makes batch number `step`. Called on the prefetcher's thread, for 0, 1, 2, … in order; so what
  // it does may depend on the number alone for the same run to see the same batches.
  using Fill = std::function<Result<void>(std::int64_t step, TrainBatch& batch)>;

  // Keeps at most `depth` finished batches ahead. REQUIRES: depth >= 1. Whatever `fill` uses
  // outlives the prefetcher.
  BatchPrefetcher(int depth, std::int64_t steps, Fill fill);
  ~BatchPrefetcher();
  BatchPrefetcher(const BatchPrefetcher&) = delete;
  BatchPrefetcher& operator=(const BatchPrefetcher&) = delete;

  // Blocks for the next batch, which stays valid until the next call. Fails as `fill` did, then for
  // good. REQUIRES: called at most `steps` times.
  Result<const TrainBatch*> Next();

 private:
  struct Slot {
    TrainBatch batch;
    std::optional<Error> error;
  };
  void Loop(const std::stop_token& stop);

  const std::int64_t steps_;
  const Fill fill_;
  std::vector<Slot> slots_;  // slot step % size: filled between free_ and ready_, read after ready_
  std::counting_semaphore<> free_;
  std::counting_semaphore<> ready_{0};
  std::int64_t taken_ = 0;
  std::jthread thread_;  // last: it uses the members above
};

}  // namespace az
