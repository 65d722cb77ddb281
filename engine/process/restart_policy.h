#pragma once
// What to do when a child has died: a pure function over its deaths. The supervisor acts on it.

#include <cstdint>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/exit_codes.h"

namespace az {

// How a process ended, or that it never began.
struct ChildExit {
  enum class How : std::uint8_t { kExited, kSignal, kNotStarted };
  How how = How::kExited;
  int code = 0;  // exit status, or the signal's number
  friend bool operator==(const ChildExit&, const ChildExit&) = default;
};
std::string DescribeExit(const ChildExit& exit);  // "exited with 3", "was killed by signal 9"

struct ChildDeath {
  TimePoint at{};
  ChildExit exit;
  bool by_supervisor = false;  // which sent the signal
  bool by_kernel = false;      // because RAM ran out (KernelKills)
  bool was_ready = false;      // it had said Ready
};

struct RestartPolicy {
  Duration delay = std::chrono::milliseconds(
      100);  // before the second start in a row; doubles with each further one
  Duration kernel_delay = std::chrono::seconds(1);  // the same after the first kill by the kernel
  Duration longest_delay = std::chrono::seconds(10);
  // More of one child within `window` stop the run; 0: no limit. A kill by the kernel does not
  // count once the child was ready: it did its work, and there will be RAM again.
  int most_deaths = 5;
  Duration window = std::chrono::seconds(60);
};

struct RestartDecision {
  bool restart = false;
  Duration delay{};                    // restart: from the death
  ExitCode exit_code = ExitCode::kOk;  // otherwise: what the run ends with
  std::string reason;                  // and why: "exited with 3", "died 6 times within 60 s"
};

// `deaths`: all of one child (one lane), oldest first. REQUIRES: not empty.
// Exit codes that a restart cannot mend (2 usage, 3 environment, 4 and 77 incompatible, 126 and 127
// no program or library) stop the run. Every other death restarts: the first at once, each further
// one that follows the last within `window` after twice the delay. After a kill by the kernel the
// first waits too: a successor takes the same memory, and there is none yet.
RestartDecision DecideRestart(const RestartPolicy& policy, std::span<const ChildDeath> deaths);

}  // namespace az
