#pragma once
// One running child of the supervisor: process, control channel, and the promise that it does not
// outlive its owner.

#include <sys/types.h>

#include <optional>
#include <utility>

#include "base/result.h"
#include "engine/process/control_channel.h"
#include "engine/process/process_launcher.h"
#include "engine/process/restart_policy.h"

namespace az {

// Confined to the supervisor's thread.
class ChildProcess {
 public:
  // Spawns `spec` with a new control channel; `fds.control` is ignored. Fails as
  // ProcessLauncher::Spawn.
  static Result<ChildProcess> Start(ProcessLauncher& launcher, const SpawnSpec& spec, SpawnFds fds);

  ChildProcess(ChildProcess&&) = default;
  ChildProcess& operator=(ChildProcess&&) = delete;
  // Kills and reaps a child that is still there; blocks until the kernel has let go of it.
  ~ChildProcess();

  pid_t pid() const { return process_.pid; }
  int pidfd() const { return process_.pidfd.get(); }
  ControlChannel& channel() { return channel_; }

  // By its process descriptor: never hits another process that got the same pid.
  void Signal(int number);

  // Gives up the promise: it may outlive its owner, and is not reaped. For one that does not end
  // although it was killed.
  void LetGo() { process_.pidfd.Reset(); }

  // How it ended, once it has; nothing while it runs. Never blocks. REQUIRES: it did not say so
  // before.
  std::optional<ChildExit> TryReap();

 private:
  ChildProcess(SpawnedProcess process, UniqueFd socket)
      : process_(std::move(process)), channel_(std::move(socket)) {}
  std::optional<ChildExit> Reap(int flags);

  SpawnedProcess process_;  // its pidfd is closed once reaped
  ControlChannel channel_;
};

}  // namespace az
