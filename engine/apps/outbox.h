#pragma once
// Outbox: what a process's other threads want told to the supervisor. The control channel belongs
// to the main thread; the others put messages here and the main thread's poll wakes.

#include <vector>

#include "base/files.h"
#include "base/thread_annotations.h"
#include "engine/process/messages.h"

namespace az {

// Thread-safe.
class Outbox {
 public:
  // `event`: an eventfd.
  explicit Outbox(UniqueFd event) : event_(std::move(event)) {}

  void Put(ControlMessage message);
  std::vector<ControlMessage> Take();      // in the order of Put
  int fd() const { return event_.get(); }  // for poll: readable while there are messages

 private:
  UniqueFd event_;
  Mutex mutex_;
  std::vector<ControlMessage> messages_ AZ_GUARDED_BY(mutex_);
};

}  // namespace az
