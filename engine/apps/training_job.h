#pragma once
// TrainingJob: one training on a thread of its own, so that the device process keeps serving and
// answering meanwhile.

#include <atomic>
#include <optional>
#include <thread>

#include "base/result.h"
#include "engine/apps/outbox.h"
#include "engine/process/messages.h"
#include "engine/train/trainer.h"
#include "scheduler/device_memory.h"

namespace az {

// Confined to the thread that made it, but for its own.
class TrainingJob {
 public:
  // Starts to train. Progress and the answer (Trained, or Error with fatal = false), of the
  // message's attempt, go to the outbox; no answer when it was stopped. A training that fails for
  // lack of memory outside of its steps, which help themselves, is done once more with all caches
  // given back. Trainer, memory and outbox outlive it; nobody else uses the trainer meanwhile.
  TrainingJob(Trainer& trainer, TrainMessage message, DeviceMemory& memory, Outbox& outbox);
  ~TrainingJob();  // stops the training after its current step, waits for the thread
  TrainingJob(const TrainingJob&) = delete;
  TrainingJob& operator=(const TrainingJob&) = delete;

  // Set when the training failed because the device is broken for good: nothing was answered, and a
  // new process must be sent the training again. REQUIRES: is_done().
  const std::optional<Error>& lost_device() const { return lost_device_; }

  bool is_done() const {
    return done_.load(std::memory_order_acquire);
  }  // the answer is in the outbox, or the device is lost

 private:
  std::optional<Error> lost_device_;  // written by the thread before done_
  std::atomic<bool> done_ = false;    // set by the thread after its last Put, with release
  std::jthread thread_;               // last: it uses the member above
};

}  // namespace az
