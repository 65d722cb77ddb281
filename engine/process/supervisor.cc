#include "engine/process/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/strings.h"
#include "engine/process/child_setup.h"
#include "engine/process/last_words.h"

namespace az {
namespace {

constexpr int kMessagesPerTick =
    256;  // of one child, so that a talkative one does not starve the others

ChildRole RoleOf(int lane) { return IsDevice(lane) ? ChildRole::kDevice : ChildRole::kWorker; }

Errc ErrcFor(ExitCode code) {
  switch (code) {
    case ExitCode::kUsage:
      return Errc::kInvalid;
    case ExitCode::kEnvironment:
      return Errc::kUnavailable;
    case ExitCode::kIncompatible:
    case ExitCode::kWrongSegment:
      return Errc::kIncompatible;
    case ExitCode::kOk:
    case ExitCode::kFailed:
    case ExitCode::kTryAgain:
    case ExitCode::kForfeits:
      return Errc::kPeerGone;
  }
  return Errc::kPeerGone;
}

}  // namespace

Result<Supervisor> Supervisor::Create(SupervisorOptions options, ProcessLauncher& launcher,
                                      const Clock& clock, const Log& log) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return SystemError("create lifeline pipe", errno);
  std::pair<UniqueFd, UniqueFd> lifeline{UniqueFd(ends[0]), UniqueFd(ends[1])};
  AZ_ASSIGN_OR_RETURN(SignalSource signals, SignalSource::Open());
  return Supervisor(std::move(options), launcher, clock, log, std::move(signals),
                    std::move(lifeline));
}

Supervisor::Supervisor(SupervisorOptions options, ProcessLauncher& launcher, const Clock& clock,
                       const Log& log, SignalSource signals, std::pair<UniqueFd, UniqueFd> lifeline)
    : options_(std::move(options)),
      launcher_(&launcher),
      clock_(&clock),
      log_(&log),
      signals_(std::move(signals)),
      kernel_kills_(options_.kernel_kills),
      lifeline_read_(std::move(lifeline.first)),
      lifeline_write_(std::move(lifeline.second)) {}

Supervisor::~Supervisor() { StopAll(Deadline::In(Duration::zero())); }

Result<void> Supervisor::Start(int lane) {
  AZ_CHECK(!children_.contains(lane)) << LaneName(lane) << " is there already";
  Child& child = children_[lane];
  Result<void> spawned = Spawn(lane, child);
  if (!spawned) children_.erase(lane);
  return spawned;
}

Result<void> Supervisor::Spawn(int lane, Child& child) {
  SpawnSpec spec = IsDevice(lane) ? options_.device : options_.worker;
  const std::uint32_t epoch = ++epochs_[lane];
  const SegmentSeat seat = options_.seat(lane);
  for (std::string& argument : ToArguments({.run_dir = options_.run_dir,
                               .run_id = options_.run_id,
                               .lane = lane,
                               .segment_lane = seat.segment_lane,
                               .epoch = epoch,
                               .parent = ::getpid()})) {
    spec.arguments.push_back(std::move(argument));
  }
  const std::int64_t log_from = FileSize(options_.log_fd);
  auto started = ChildProcess::Start(
      *launcher_, spec,
      {.segment = seat.segment_fd, .lifeline = lifeline_read_.get(), .log = options_.log_fd});
  if (!started) return WithContext(LaneName(lane), std::move(started).error());
  const TimePoint now = clock_->Now();
  child.log_from = log_from;
  child.state = State::kStarting;
  child.process.emplace(std::move(*started));
  child.since = child.watched_since = now;
  child.said_hello = child.term_sent = child.killed = child.is_stuck = false;
  child.closed_at.reset();
  child.last_error.clear();
  child.fatal = {};
  log_->Info(StrCat("event=child_started child=", LaneName(lane), " epoch=", epoch,
                    " pid=", child.process->pid()));
  return {};
}

void Supervisor::Stop(int lane) {
  const auto found = children_.find(lane);
  if (found == children_.end()) return;
  Child& child = found->second;
  if (!child.process) {
    children_.erase(found);
    return;
  }
  if (child.state == State::kStopping) return;
  child.state = State::kStopping;
  child.since = clock_->Now();
  if (const auto sent = child.process->channel().Send(StopMessage{}); !sent) {
    log_->Warn(StrCat("event=stop_not_sent child=", LaneName(lane), " error=\"",
                      sent.error().message, "\""));
  }
}

Result<void> Supervisor::Send(int lane, const ControlMessage& message) {
  const auto found = children_.find(lane);
  if (found == children_.end() || !found->second.process || found->second.killed) {
    return Error{Errc::kPeerGone, StrCat("send ", MessageName(message),
                                         " message: ", LaneName(lane), " is not running")};
  }
  Result<void> sent = found->second.process->channel().Send(message);
  if (!sent) return WithContext(LaneName(lane), std::move(sent).error());
  return sent;
}

std::vector<SupervisorEvent> Supervisor::Tick(Duration max_wait) {
  Events events;
  TimePoint now = clock_->Now();
  NoticeLateness(now, last_tick_.value_or(now));
  RestartDue(events);
  if (!events.empty() || backlog_) max_wait = Duration::zero();
  for (const auto& [lane, child] : children_) {
    if (child.state == State::kBackingOff) {
      max_wait = std::clamp(child.since - now, Duration::zero(), max_wait);
    }
  }
  Wait(max_wait);
  NoticeLateness(clock_->Now(), now + max_wait);

  for (const int number : signals_.Take()) {
    events.emplace_back(SignalArrived{number, signals_.count()});
  }
  backlog_ = false;
  kernel_kills_.Look(clock_->Now());
  for (const int lane : lanes()) Serve(lane, events);
  last_tick_ = clock_->Now();
  return events;
}

// The machine or this process slept: nobody else had time to show signs of life either.
void Supervisor::NoticeLateness(TimePoint now, TimePoint expected) {
  if (now - expected <= options_.late_tick) return;
  ++counters_.late_ticks;
  log_->Warn(StrCat("event=late_tick late_s=", Fixed(Seconds(now - expected), 1)));
  for (auto& [lane, child] : children_) child.watched_since = now;
}

void Supervisor::RestartDue(Events& events) {
  for (auto& [lane, child] : children_) {
    if (child.state != State::kBackingOff || clock_->Now() < child.since) continue;
    ++(IsDevice(lane) ? counters_.device_restarts : counters_.worker_restarts);
    if (const Result<void> spawned = Spawn(lane, child); !spawned) {
      child.last_error = spawned.error().message;
      const ChildExit exit{ChildExit::How::kNotStarted, 0};
      DecideNext(lane, child, {.at = clock_->Now(), .exit = exit}, events);
    }
  }
}

// Sleeps until something may have happened. What did is found out by Serve: it asks every child.
void Supervisor::Wait(Duration max_wait) {
  std::vector<pollfd> entries = {{signals_.fd(), POLLIN, 0}};
  for (auto& [lane, child] : children_) {
    if (!child.process) continue;
    entries.push_back({child.process->pidfd(), POLLIN, 0});
    const ControlChannel& channel = child.process->channel();
    if (channel.closed() || child.killed) continue;
    entries.push_back(
        {channel.fd(), static_cast<short>(channel.wants_write() ? POLLIN | POLLOUT : POLLIN), 0});
  }
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(max_wait).count();
  const int timeout = static_cast<int>(std::clamp<std::int64_t>(wait, 0, 60'000));
  ::poll(entries.data(), entries.size(), timeout);  // an error is a wake-up for nothing
}

void Supervisor::Serve(int lane, Events& events) {
  Child& child = children_.at(lane);
  if (!child.process) return;
  ControlChannel& channel = child.process->channel();
  // A peer that has gone is noticed by its death.
  if (channel.wants_write()) [[maybe_unused]]
    const Result<void> flushed = channel.Flush();
  ReadMessages(lane, child, kMessagesPerTick, events);
  if (const std::optional<ChildExit> exit = options_.reap(lane, *child.process)) {
    OnDeath(lane, child, *exit, events);  // may erase the child
  } else {
    CheckWatchdogs(lane, child, events);
  }
}

void Supervisor::ReadMessages(int lane, Child& child, int most, Events& events) {
  ControlChannel& channel = child.process->channel();
  for (int i = 0; i < most && !child.killed; ++i) {
    Result<std::optional<ControlMessage>> received = channel.Receive();
    if (!received) {
      if (received.error().code == Errc::kPeerGone) {
        if (!child.closed_at) child.closed_at = clock_->Now();
        return;
      }
      return Kill(lane, child, received.error().message);
    }
    if (!*received) return;
    Accept(lane, child, std::move(**received), events);
  }
  backlog_ = backlog_ || !child.killed;
}

void Supervisor::Accept(int lane, Child& child, ControlMessage message, Events& events) {
  const std::uint32_t epoch = epochs_.at(lane);
  if (const auto* hello = std::get_if<HelloMessage>(&message)) {
    if (child.said_hello || hello->role != ChildRoleName(RoleOf(lane)) || hello->lane != lane ||
        hello->pid != child.process->pid()) {
      return Kill(lane, child, "said hello twice, or for somebody else");
    }
    child.said_hello = true;
    events.push_back(ChildStarted{lane, epoch, !child.deaths.empty()});
    return;
  }
  if (const auto* error = std::get_if<ErrorMessage>(&message)) {
    child.last_error = error->message;
    if (error->fatal) child.fatal = Error{ErrcFromName(error->code), error->message};
  } else if (!child.said_hello) {
    return Kill(lane, child, StrCat("sent ", MessageName(message), " before hello"));
  }
  if (std::holds_alternative<ReadyMessage>(message) && child.state == State::kStarting) {
    child.state = State::kRunning;
    child.since = clock_->Now();
  }
  events.push_back(ChildSaid{lane, epoch, std::move(message)});
}

void Supervisor::OnDeath(int lane, Child& child, const ChildExit& exit, Events& events) {
  ReadMessages(lane, child, std::numeric_limits<int>::max(), events);  // its last words
  const bool asked = child.state == State::kStopping;
  const bool expected = asked && exit == ChildExit{};
  const TimePoint now = clock_->Now();
  const bool by_kernel = !child.killed && exit == ChildExit{ChildExit::How::kSignal, SIGKILL} &&
                         kernel_kills_.WasRecent(now);
  log_->Write(expected ? LogLevel::kInfo : LogLevel::kWarn,
              StrCat("event=child_died child=", LaneName(lane), " epoch=", epochs_.at(lane),
                     " how=\"", DescribeExit(exit), "\" asked=", asked, " by_kernel=", by_kernel));
  child.process.reset();
  const std::size_t at = events.size();
  events.push_back(ChildDied{.lane = lane,
                             .epoch = epochs_.at(lane),
                             .exit = exit,
                             .asked = asked,
                             .killed = child.killed,
                             .by_kernel = by_kernel,
                             .fatal = child.fatal});
  if (asked) {
    children_.erase(lane);
    return;
  }
  const ChildDeath death{.at = now,
                         .exit = exit,
                         .by_supervisor = child.killed,
                         .by_kernel = by_kernel,
                         .was_ready = child.state == State::kRunning};
  DecideNext(lane, child, death, events);
  std::get<ChildDied>(events[at]).restarts = child.state == State::kBackingOff;
}

void Supervisor::DecideNext(int lane, Child& child, const ChildDeath& death, Events& events) {
  child.deaths.push_back(death);
  const RestartDecision decision = DecideRestart(options_.restart, child.deaths);
  if (decision.restart) {
    child.state = State::kBackingOff;
    child.since = death.at + decision.delay;
    log_->Info(StrCat("event=restart child=", LaneName(lane), " deaths=", child.deaths.size(),
                      " delay_ms=", Fixed(1e3 * Seconds(decision.delay), 0)));
    return;
  }
  child.state = State::kFailed;
  std::string message = StrCat(LaneName(lane), " ", decision.reason);
  if (child.last_error.empty()) {
    child.last_error = LastWords(options_.log_fd, child.log_from, LaneName(lane));
  }
  if (!child.last_error.empty()) message += StrCat(": ", child.last_error);
  log_->Error(StrCat("event=run_failed child=", LaneName(lane), " error=\"", message, "\""));
  events.push_back(RunFailed{lane, decision.exit_code, {ErrcFor(decision.exit_code), message}});
}

std::vector<int> Supervisor::lanes() const {
  std::vector<int> lanes;
  for (const auto& [lane, child] : children_) lanes.push_back(lane);
  return lanes;
}

bool Supervisor::is_ready(int lane) const {
  const auto found = children_.find(lane);
  return found != children_.end() && found->second.state == State::kRunning;
}

std::optional<pid_t> Supervisor::pid(int lane) const {
  const auto found = children_.find(lane);
  if (found == children_.end() || !found->second.process) return std::nullopt;
  return found->second.process->pid();
}

std::uint32_t Supervisor::epoch(int lane) const {
  const auto found = epochs_.find(lane);
  return found == epochs_.end() ? 0 : found->second;
}

}  // namespace az
