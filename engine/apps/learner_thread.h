#pragma once
// LearnerThread: the one thread of a device process that trains, whatever the number of trainings.
// cuDNN's plans belong to the thread that made them and stay allocated when it ends: a thread for
// each training would leak them.

#include <functional>
#include <semaphore>
#include <thread>

#include "base/result.h"

namespace az {

// Confined to the thread that made it, but for its own.
class LearnerThread {
 public:
  LearnerThread() = default;
  ~LearnerThread();  // waits for the work that still runs
  LearnerThread(const LearnerThread&) = delete;
  LearnerThread& operator=(const LearnerThread&) = delete;

  // Starts `work`, which does not throw, on the thread and returns; the first call makes the
  // thread. Waits for earlier work. Fails: kUnavailable (no thread can be made); nothing is called
  // then.
  Result<void> Run(std::function<void()> work);

  void Wait();  // blocks until the work has returned; at once when there is none

 private:
  void Loop();

  std::function<void()> work_;  // written before begin_, read after it; empty: the thread ends
  std::binary_semaphore begin_{0};
  std::binary_semaphore end_{0};
  bool is_running_ = false;  // of the thread that made it: end_ was not waited for yet
  std::thread thread_;       // last: it uses the members above
};

}  // namespace az
