#include "engine/apps/outbox.h"

#include <sys/eventfd.h>

#include <utility>

namespace az {

// The counter cannot overflow and the descriptor is open, so that neither call below can fail.
void Outbox::Put(ControlMessage message) {
  const MutexLock lock(mutex_);
  messages_.push_back(std::move(message));
  eventfd_write(event_.get(), 1);
}

std::vector<ControlMessage> Outbox::Take() {
  const MutexLock lock(mutex_);
  eventfd_t count = 0;
  eventfd_read(event_.get(), &count);
  return std::exchange(messages_, {});
}

}  // namespace az
