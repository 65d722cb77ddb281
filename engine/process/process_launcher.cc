#include "engine/process/process_launcher.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <string_view>

#include "base/strings.h"
#include "engine/process/child_setup.h"

namespace az {
namespace {

constexpr int kFirstSourceFd = 10;  // above every target, so that no dup2 overwrites a source
constexpr int kFirstClosedFd = 6;
static_assert(kSegmentFd < kFirstClosedFd && kControlFd < kFirstClosedFd &&
              kLifelineFd < kFirstClosedFd && kFirstClosedFd < kFirstSourceFd);

// Destroys the two C structs of posix_spawn on every way out. Their calls fail for lack of memory
// only.
class SpawnRecipe {
 public:
  SpawnRecipe() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  SpawnRecipe(const SpawnRecipe&) = delete;
  SpawnRecipe& operator=(const SpawnRecipe&) = delete;
  ~SpawnRecipe() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  // Returns 0 or an errno. `targets[i]` in the child is `sources[i]` here.
  int SetDescriptors(std::span<const int> targets, std::span<const UniqueFd> sources) {
    int code =
        ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (std::size_t i = 0; i < targets.size() && code == 0; ++i) {
      code = ::posix_spawn_file_actions_adddup2(&actions_, sources[i].get(), targets[i]);
    }
    if (code == 0) code = ::posix_spawn_file_actions_addclosefrom_np(&actions_, kFirstClosedFd);
    return code;
  }

  // The supervisor blocks signals for its signalfd and may have been started with some ignored; a
  // child starts clean. SIGHUP apart: where it is ignored (nohup) it must not end a child before
  // that has come to ignore it.
  int ResetSignals() {
    sigset_t none;
    sigset_t defaults;
    ::sigemptyset(&none);
    ::sigemptyset(&defaults);
    for (const int number :
         {SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD, SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM}) {
      ::sigaddset(&defaults, number);
    }
    int code = ::posix_spawnattr_setsigmask(&attributes_, &none);
    if (code == 0) code = ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
    if (code == 0) {
      code =
          ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    return code;
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// A null-terminated argv or envp over `texts`, which must outlive it.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string_view NameOf(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

// This process's environment with `over` on top.
std::vector<std::string> Environment(const std::vector<std::string>& over) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    bool replaced = false;
    for (const std::string& other : over) replaced |= NameOf(other) == NameOf(*entry);
    if (!replaced) out.emplace_back(*entry);
  }
  out.insert(out.end(), over.begin(), over.end());
  return out;
}

Error SpawnError(std::string_view what, int number) {
  Error error = SystemError(what, number);
  if (number == EAGAIN) error.message += " (raise the limit of processes, ulimit -u)";
  // Whatever the number: a program that cannot be started is the surroundings' fault.
  if (error.code != Errc::kNoMemory) error.code = Errc::kUnavailable;
  if (number == ENOENT || number == EACCES || number == ENOEXEC) {
    error.message += " (build it, or start az_train from its build folder)";
  }
  return error;
}

}  // namespace

Result<SpawnedProcess> PosixLauncher::Spawn(const SpawnSpec& spec, const SpawnFds& fds) {
  const std::string what = StrCat("start ", spec.program.string());
  const std::array<int, 5> targets = {STDOUT_FILENO, STDERR_FILENO, kSegmentFd, kControlFd,
                                      kLifelineFd};
  const std::array<int, 5> given = {fds.log, fds.log, fds.segment, fds.control, fds.lifeline};
  std::array<UniqueFd, 5> sources;
  for (std::size_t i = 0; i < given.size(); ++i) {
    sources[i].Reset(::fcntl(given[i], F_DUPFD_CLOEXEC, kFirstSourceFd));
    if (!sources[i].valid())
      return SystemError(StrCat(what, ": copy descriptor ", given[i]), errno);
  }

  SpawnRecipe recipe;
  int code = recipe.SetDescriptors(targets, sources);
  if (code == 0) code = recipe.ResetSignals();
  if (code != 0) return SpawnError(what, code);

  std::vector<std::string> arguments = {spec.program.string()};
  arguments.insert(arguments.end(), spec.arguments.begin(), spec.arguments.end());
  std::vector<std::string> environment = Environment(spec.environment);
  SpawnedProcess child;
  code = ::posix_spawn(&child.pid, spec.program.c_str(), recipe.actions(), recipe.attributes(),
                       Pointers(arguments).data(), Pointers(environment).data());
  if (code != 0) return SpawnError(what, code);

  // The pid cannot be reused before we reap it.
  child.pidfd.Reset(static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0)));
  if (!child.pidfd.valid()) {
    const int number = errno;
    ::kill(child.pid, SIGKILL);
    while (::waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return SystemError(StrCat(what, ": open its process descriptor"), number);
  }
  return child;
}

}  // namespace az
