#include "engine/process/signal_source.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

namespace az {

Result<SignalSource> SignalSource::Open() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &action, nullptr);

  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  if (::sigaction(SIGHUP, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
    ::sigaddset(&set, SIGHUP);
  }
  UniqueFd fd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd.valid()) return SystemError("create signal descriptor", errno);
  sigset_t old_mask;
  const int code = ::pthread_sigmask(SIG_BLOCK, &set, &old_mask);
  if (code != 0) return SystemError("block signals", code);
  return SignalSource(std::move(fd), old_mask);
}

SignalSource::~SignalSource() {
  if (!fd_.valid()) return;  // moved from
  Take();
  ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

std::vector<int> SignalSource::Take() {
  std::vector<int> numbers;
  signalfd_siginfo info{};
  while (::read(fd_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    numbers.push_back(static_cast<int>(info.ssi_signo));
    ++count_;
  }
  return numbers;
}

}  // namespace az
