#include "engine/train/prefetcher.h"

#include <pthread.h>

#include <utility>

#include "base/check.h"

namespace az {

BatchPrefetcher::BatchPrefetcher(int depth, std::int64_t steps, Fill fill)
    : steps_(steps),
      fill_(std::move(fill)),
      slots_(static_cast<std::size_t>(depth) + 1),  // one is with the learner
      free_(depth + 1) {
  AZ_CHECK_GE(depth, 1);
  thread_ = std::jthread([this](const std::stop_token& stop) { Loop(stop); });
}

BatchPrefetcher::~BatchPrefetcher() {
  thread_.request_stop();
  free_.release();  // in case it waits for a slot
}

Result<const TrainBatch*> BatchPrefetcher::Next() {
  AZ_CHECK_LT(taken_, steps_);
  if (taken_ > 0) free_.release();
  ready_.acquire();
  Slot& slot = slots_[static_cast<std::size_t>(taken_) % slots_.size()];
  ++taken_;
  if (slot.error) {
    ready_.release();  // the thread has ended: the next call finds an error too
    slots_[static_cast<std::size_t>(taken_) % slots_.size()].error = slot.error;
    return *slot.error;
  }
  return &slot.batch;
}

void BatchPrefetcher::Loop(const std::stop_token& stop) {
  pthread_setname_np(pthread_self(), "az_prefetch");
  for (std::int64_t step = 0; step < steps_; ++step) {
    free_.acquire();
    if (stop.stop_requested()) return;
    Slot& slot = slots_[static_cast<std::size_t>(step) % slots_.size()];
    Result<void> filled = fill_(step, slot.batch);
    if (!filled) slot.error = std::move(filled).error();
    const bool failed = slot.error.has_value();  // the slot is the learner's once it is ready
    ready_.release();
    if (failed) return;
  }
}

}  // namespace az
