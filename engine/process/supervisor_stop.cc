// How the supervisor gets rid of children: those that hang, and all of them at the end.

#include <signal.h>

#include <algorithm>

#include "base/strings.h"
#include "engine/process/supervisor.h"

namespace az {
namespace {

constexpr Duration kClosedLimit = std::chrono::seconds(5);  // channel closed, process still there

}  // namespace

void Supervisor::CheckWatchdogs(int lane, Child& child, Events& events) {
  if (child.killed) return CheckKilled(lane, child, events);
  const TimePoint now = clock_->Now();
  const TimePoint from = std::max(child.since, child.watched_since);
  if (child.closed_at && now - std::max(*child.closed_at, from) > kClosedLimit) {
    return Kill(lane, child, "closed its control channel and lives on");
  }
  if (child.state == State::kStarting) {
    const Duration limit =
        IsDevice(lane) ? options_.device_start_limit : options_.worker_start_limit;
    if (now - from > limit) {
      ++counters_.watchdog_kills;
      Kill(lane, child, StrCat("not ready within ", Fixed(Seconds(limit), 1), " s of its start"));
    }
  } else if (child.state == State::kStopping) {
    if (now - from > options_.kill_after) {
      Kill(lane, child, "did not stop");
    } else if (now - from > options_.term_after && !child.term_sent) {
      child.process->Signal(SIGTERM);
      child.term_sent = true;
    }
  } else if (options_.liveness) {
    const auto liveness = options_.liveness(lane, child.process->pid());
    if (liveness && now - std::max(liveness->last_sign, from) > liveness->limit) {
      ++counters_.watchdog_kills;
      Kill(lane, child, StrCat("no sign of life for ", Fixed(Seconds(liveness->limit), 1), " s"));
    }
  }
}

// The kernel ends no process that sleeps in a driver or waits for a disk.
void Supervisor::CheckKilled(int lane, Child& child, Events& events) {
  const TimePoint from = std::max(child.killed_at, child.watched_since);
  if (child.is_stuck || clock_->Now() - from <= options_.kill_limit) return;
  child.is_stuck = true;
  std::string message =
      StrCat(LaneName(lane), " (pid ", child.process->pid(),
             ") does not end although it was killed ", Fixed(Seconds(options_.kill_limit), 0),
             " s ago: a driver or a disk does not answer (the same command goes on from what is "
             "saved; restart the machine if the process stays)");
  log_->Error(StrCat("event=run_failed child=", LaneName(lane), " error=\"", message, "\""));
  const ExitCode exit_code = ExitCode::kEnvironment;
  events.push_back(RunFailed{lane, exit_code, {Errc::kUnavailable, std::move(message)}});
}

void Supervisor::Kill(int lane, Child& child, std::string_view why) {
  log_->Warn(StrCat("event=kill child=", LaneName(lane), " pid=", child.process->pid(), " why=\"",
                    why, "\""));
  child.killed = true;
  child.killed_at = clock_->Now();
  if (child.last_error.empty()) child.last_error = why;
  child.process->Signal(SIGKILL);
}

void Supervisor::StopAll(Deadline deadline) {
  const int signals_before = signals_.count();
  for (const int lane : lanes()) {
    if (!IsDevice(lane)) Stop(lane);
  }
  while (!children_.empty()) {
    if (IsDevice(children_.rbegin()->first)) {  // no worker is left
      for (const int lane : lanes()) Stop(lane);
    }
    const bool hurry = deadline.Passed() || signals_.count() > signals_before;
    for (const int lane : lanes()) {
      Child& child = children_.at(lane);
      if (!child.process) {
        children_.erase(lane);  // nothing is started again now
      } else if (child.killed && clock_->Now() - child.killed_at > options_.let_go_after) {
        log_->Warn(StrCat("event=let_go child=", LaneName(lane), " pid=", child.process->pid()));
        child.process->LetGo();
        children_.erase(lane);
      } else if (hurry && !child.killed) {
        child.state = State::kStopping;
        Kill(lane, child, "the run stops now");
      }
    }
    const Duration wait = std::chrono::milliseconds(100);
    if (!children_.empty()) Tick(deadline.Passed() ? wait : std::min(deadline.Left(wait), wait));
  }
}

}  // namespace az
