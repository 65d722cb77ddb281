#include "engine/ipc/event_count.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

namespace az {

// Not the _PRIVATE forms: those find sleepers of the own process alone, and the others would live
// on time-outs.
void FutexWakeAll(std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void FutexWait(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
               std::chrono::microseconds limit) {
  if (limit <= limit.zero()) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  timespec timeout{};
  timeout.tv_sec = seconds.count();
  timeout.tv_nsec = std::chrono::nanoseconds(limit - seconds).count();
  // EAGAIN, EINTR and ETIMEDOUT all mean: look again.
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

}  // namespace az
