#pragma once
// What the supervisor reports to its owner, from Supervisor::Tick.

#include <cstdint>
#include <variant>

#include "base/exit_codes.h"
#include "base/result.h"
#include "engine/process/messages.h"
#include "engine/process/restart_policy.h"

namespace az {

struct ChildStarted {  // it said hello: send its plan
  int lane = 0;
  std::uint32_t epoch = 0;
  bool is_restart = false;
};
struct ChildSaid {
  int lane = 0;
  std::uint32_t epoch = 0;
  ControlMessage message;
};
// Reaped: it touches nothing any more. It is started again in a later Tick at the earliest.
struct ChildDied {
  int lane = 0;
  std::uint32_t epoch = 0;
  ChildExit exit;
  bool asked = false;      // after Stop: it is not started again
  bool restarts = false;   // false and not asked: RunFailed follows
  bool killed = false;     // by us: it hung, or said what it must not
  bool by_kernel = false;  // killed because RAM ran out (KernelKills)
  Error fatal;             // what it said it ends with; without a text: nothing
};
struct SignalArrived {
  int number = 0;
  int count = 0;  // of all signals so far: the first drains, the second stops
};
struct RunFailed {  // a child cannot be kept alive: the run must end
  int lane = 0;
  ExitCode exit_code = ExitCode::kFailed;
  Error error;
};
using SupervisorEvent = std::variant<ChildStarted, ChildSaid, ChildDied, SignalArrived, RunFailed>;

}  // namespace az
