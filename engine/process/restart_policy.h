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
};

struct RestartPolicy {
  Duration delay = std::chrono::milliseconds(
      100);  // before the second start in a row; doubles with each further one
  Duration longest_delay = std::chrono::seconds(10);
  int most_deaths = 5;  // more of one child within `window` stop the run; 0: no limit
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
// one that follows the last within `window` after twice the delay.
RestartDecision DecideRestart(const RestartPolicy& policy, std::span<const ChildDeath> deaths);

}  // namespace az
