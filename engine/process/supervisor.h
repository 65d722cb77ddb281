#pragma once
// The supervisor: starts the device process and the workers, watches and restarts them, carries
// their messages, and leaves none behind. It knows nothing of games or phases: the loop tells it
// what to start and sends what to do.
//
//   starting --ready--> running --Stop--> stopping --reaped--> (gone)
//      |                   |
//      +------ dies -------+--> backing off --delay--> starting (epoch + 1)
//                          +--> failed: RunFailed, the run must end

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "engine/process/child_process.h"
#include "engine/process/kernel_kills.h"
#include "engine/process/lanes.h"
#include "engine/process/messages.h"
#include "engine/process/process_launcher.h"
#include "engine/process/restart_policy.h"
#include "engine/process/signal_source.h"
#include "engine/process/supervisor_events.h"

namespace az {

// When a child last showed that it gets on, and how long it may be silent. Nothing: it need not, or
// nobody can tell.
struct Liveness {
  TimePoint last_sign{};
  Duration limit{};
};
using LivenessProbe = std::function<std::optional<Liveness>(int lane, pid_t pid)>;

// Where a child meets those it works with.
struct SegmentSeat {
  int segment_fd = -1;   // borrowed, outlives the supervisor
  int segment_lane = 0;  // of a worker
};

struct SupervisorOptions {
  SpawnSpec worker;  // the arguments of child_setup.h are appended
  SpawnSpec device;
  std::filesystem::path run_dir;
  std::string run_id;                         // 32 hexadecimal digits
  std::function<SegmentSeat(int lane)> seat;  // of every lane that is started
  int log_fd = -1;                            // borrowed, outlives the supervisor
  RestartPolicy restart;
  LivenessProbe liveness;                                  // may be empty
  KernelKills::Count kernel_kills = CountKernelKills;      // tests count themselves
  Duration worker_start_limit = std::chrono::seconds(30);  // spawn to ready
  Duration device_start_limit = std::chrono::seconds(120);
  // A Tick later than this (machine suspended, process stopped): all watchdogs begin anew.
  Duration late_tick = std::chrono::seconds(2);
  Duration term_after = std::chrono::seconds(10);  // of a Stop without an end
  Duration kill_after = std::chrono::seconds(15);
  // A killed child that has not ended by then: the run fails, and StopAll does not wait for it.
  Duration kill_limit = std::chrono::seconds(60);
  Duration let_go_after = std::chrono::seconds(10);
  // How a child ended, once it has. Tests have children that never do.
  std::function<std::optional<ChildExit>(int lane, ChildProcess& child)> reap =
      [](int, ChildProcess& child) { return child.TryReap(); };
};

struct SupervisorCounters {
  int worker_restarts = 0;
  int device_restarts = 0;
  int watchdog_kills = 0;
  int late_ticks = 0;
};

// Confined to the thread that made it, which must be the process's main thread (the kernel kills
// children with the thread that spawned them). No other thread may exist in the process that has
// these signals unblocked.
class Supervisor {
 public:
  // Blocks SIGINT, SIGTERM and SIGHUP for this process until destroyed. The references must outlive
  // it. Fails: kUnavailable (limit of open files), kIo.
  static Result<Supervisor> Create(SupervisorOptions options, ProcessLauncher& launcher,
                                   const Clock& clock, const Log& log);
  Supervisor(Supervisor&&) = default;
  Supervisor& operator=(Supervisor&&) = delete;
  // Kills and reaps what is left, as StopAll.
  ~Supervisor();

  // Starts a child; ChildStarted comes in a later Tick. Fails as ProcessLauncher::Spawn, with
  // nothing left behind. REQUIRES: the lane has no child.
  Result<void> StartDevice(int lane = kDeviceLane) { return Start(lane); }
  Result<void> StartWorker(int lane) { return Start(lane); }

  // Asks a child to finish: StopMessage now, SIGTERM after 10 s, SIGKILL after 15 s. ChildDied
  // follows. A child that is backing off is forgotten at once. No effect on a lane without a child.
  void Stop(int lane);

  // Fails: kPeerGone when the lane has no running child (it is told again after its ChildStarted);
  // kBusy when it does not read; kInvalid when the message is too long.
  Result<void> Send(int lane, const ControlMessage& message);

  // Waits at most `max_wait` for something to happen, deals with it, and reports. One thread calls
  // it all the time: it is also what restarts children and what notices the stuck.
  std::vector<SupervisorEvent> Tick(Duration max_wait);

  // Stops the workers, then the device process; blocks until all are reaped. From `deadline`, or
  // from the next signal, with SIGKILL; one that does not end by that is left to the kernel, which
  // will end it when it can. Messages that still come are dropped.
  void StopAll(Deadline deadline);

  std::vector<int> lanes() const;  // with a child, of whatever state; device processes first
  bool is_ready(int lane) const;
  std::optional<pid_t> pid(int lane) const;  // nothing while it backs off
  std::uint32_t epoch(int lane) const;       // of the newest process of the lane; 0: there was none
  const SupervisorCounters& counters() const { return counters_; }
  int signal_count() const { return signals_.count(); }

 private:
  enum class State : std::uint8_t { kStarting, kRunning, kStopping, kBackingOff, kFailed };
  struct Child {
    State state = State::kStarting;
    std::optional<ChildProcess> process;  // none while backing off or failed
    TimePoint since{};                    // of the state; kBackingOff: when to start again
    TimePoint watched_since{};            // watchdogs count from here at the earliest
    bool said_hello = false;
    bool term_sent = false;
    bool killed = false;  // we sent SIGKILL: what it still says is dropped
    TimePoint killed_at{};
    bool is_stuck = false;               // killed, and told of because it does not end
    std::optional<TimePoint> closed_at;  // its channel
    std::string last_error;              // of its ErrorMessage
    Error fatal;                         // of a fatal one; without a text: none
    std::int64_t log_from = 0;           // the log's size when it was started
    std::vector<ChildDeath> deaths;
  };
  using Events = std::vector<SupervisorEvent>;

  Supervisor(SupervisorOptions options, ProcessLauncher& launcher, const Clock& clock,
             const Log& log, SignalSource signals, std::pair<UniqueFd, UniqueFd> lifeline);

  Result<void> Start(int lane);
  Result<void> Spawn(int lane, Child& child);
  void Wait(Duration max_wait);
  void RestartDue(Events& events);
  void NoticeLateness(TimePoint now, TimePoint expected);
  void Serve(int lane, Events& events);  // one child: its queue, messages, death, watchdogs
  void ReadMessages(int lane, Child& child, int most, Events& events);
  void Accept(int lane, Child& child, ControlMessage message, Events& events);
  void OnDeath(int lane, Child& child, const ChildExit& exit, Events& events);
  void DecideNext(int lane, Child& child, const ChildDeath& death, Events& events);
  void CheckWatchdogs(int lane, Child& child, Events& events);
  void CheckKilled(int lane, Child& child, Events& events);
  void Kill(int lane, Child& child, std::string_view why);

  SupervisorOptions options_;
  ProcessLauncher* launcher_;
  const Clock* clock_;
  const Log* log_;
  SignalSource signals_;
  KernelKills kernel_kills_;
  UniqueFd lifeline_read_;   // every child gets a copy
  UniqueFd lifeline_write_;  // closed by our death
  std::map<int, Child> children_;
  std::map<int, std::uint32_t> epochs_;
  SupervisorCounters counters_;
  std::optional<TimePoint> last_tick_;
  bool backlog_ = false;  // a channel holds lines already received: do not sleep
};

}  // namespace az
