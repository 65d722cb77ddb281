#include "engine/process/process_setup.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/exit_codes.h"
#include "base/files.h"

namespace az {
namespace {

// A new-handler takes no argument.
std::atomic<const char*> program_name{""};

void Say(const char* text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

[[noreturn]] void EndWithoutMemory() {
  Say(program_name.load());
  Say(": out of memory (raise the limit, ulimit -v or the container's, or lower num_workers or "
      "memory.ram_budget)\n");
  ::_exit(static_cast<int>(ExitCode::kEnvironment));
}

}  // namespace

Result<void> HardenProcess() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is `fd`: those below it are open by now.
    if (::open("/dev/null", O_RDWR) < 0) {
      Error error = SystemError("open /dev/null for a closed standard descriptor", errno);
      error.code = Errc::kUnavailable;
      return error;
    }
  }
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, nullptr);
  ::sigaction(SIGXFSZ, &ignore, nullptr);
  return {};
}

void ExitWhenOutOfMemory(const char* program) {
  program_name.store(program);
  std::set_new_handler(&EndWithoutMemory);
}

}  // namespace az
