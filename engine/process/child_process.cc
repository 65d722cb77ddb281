#include "engine/process/child_process.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"

namespace az {

Result<ChildProcess> ChildProcess::Start(ProcessLauncher& launcher, const SpawnSpec& spec,
                                         SpawnFds fds) {
  AZ_ASSIGN_OR_RETURN(auto ends, ControlChannel::MakePair());
  fds.control = ends.second.get();
  AZ_ASSIGN_OR_RETURN(SpawnedProcess process, launcher.Spawn(spec, fds));
  // The child's end is closed here with `ends`, so that its death closes the channel.
  return ChildProcess(std::move(process), std::move(ends.first));
}

ChildProcess::~ChildProcess() {
  if (!process_.pidfd.valid()) return;  // reaped, or moved from
  Signal(SIGKILL);
  Reap(0);
}

void ChildProcess::Signal(int number) {
  ::syscall(SYS_pidfd_send_signal, pidfd(), number, nullptr, 0);  // ESRCH: it has ended already
}

std::optional<ChildExit> ChildProcess::TryReap() { return Reap(WNOHANG); }

std::optional<ChildExit> ChildProcess::Reap(int flags) {
  AZ_CHECK(process_.pidfd.valid()) << "child " << process_.pid << " was reaped before";
  siginfo_t info{};
  int code;
  do {
    code = ::waitid(P_PIDFD, static_cast<id_t>(pidfd()), &info, WEXITED | flags);
  } while (code != 0 && errno == EINTR);
  AZ_CHECK_EQ(code, 0) << "wait for child " << process_.pid << ": errno " << errno;
  if (info.si_pid == 0) return std::nullopt;
  process_.pidfd.Reset();
  using How = ChildExit::How;
  return ChildExit{info.si_code == CLD_EXITED ? How::kExited : How::kSignal, info.si_status};
}

}  // namespace az
