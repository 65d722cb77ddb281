#pragma once
// TrainingJob: one training on the learner's thread, so that the device process keeps serving and
// answering meanwhile.

#include <atomic>
#include <optional>
#include <stop_token>

#include "base/result.h"
#include "engine/apps/learner_thread.h"
#include "engine/apps/outbox.h"
#include "engine/process/messages.h"
#include "engine/train/trainer.h"
#include "scheduler/device_memory.h"

namespace az {

// Confined to the thread that made it.
class TrainingJob {
 public:
  // What a training works with; all of it outlives the job, and nobody else uses the trainer or the
  // thread meanwhile.
  struct Parts {
    LearnerThread& thread;
    Trainer& trainer;
    DeviceMemory& memory;
    Outbox& outbox;
  };

  // Starts to train. Progress and the answer (Trained, or Error with fatal = false), of the
  // message's attempt, go to the outbox; no answer when it was stopped. A training that fails for
  // lack of memory outside of its steps, or when these have nothing left to give up, is done once
  // more with all caches given back and the sizes that its steps came down to: what was given up
  // for memory is told of once.
  TrainingJob(const Parts& parts, TrainMessage message);
  ~TrainingJob();  // stops the training after its current step, waits for its end
  TrainingJob(const TrainingJob&) = delete;
  TrainingJob& operator=(const TrainingJob&) = delete;

  // Set when the training failed because the device is broken for good: nothing was answered, and a
  // new process must be sent the training again. REQUIRES: is_done().
  const std::optional<Error>& lost_device() const { return lost_device_; }

  bool is_done() const {
    return done_.load(std::memory_order_acquire);
  }  // the answer is in the outbox, or the device is lost

 private:
  void Train(TrainMessage message);  // on the learner's thread

  const Parts parts_;
  std::stop_source stop_;
  std::optional<Error> lost_device_;  // written by the thread before done_
  std::atomic<bool> done_ = false;    // set by the thread after its last Put, with release
};

}  // namespace az
