#pragma once
// Starts programs as children of this process. The only place that spawns. What a child
// does with what it is handed is child_setup.h.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace az {

struct SpawnSpec {
  std::filesystem::path program;         // a path; not looked up in PATH
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // "NAME=value", over this process's own
};

// Descriptors a child gets, borrowed for the call. Everything else is closed in it, standard input
// is empty.
struct SpawnFds {
  int segment = -1;
  int control = -1;
  int lifeline = -1;
  int log = -1;  // its standard output and error
};

struct SpawnedProcess {
  pid_t pid = 0;
  UniqueFd pidfd;  // readable when the process has ended
};

class ProcessLauncher {
 public:
  virtual ~ProcessLauncher() = default;
  // Fails: kUnavailable (no such program, limit of processes or open files), kNoMemory, kIo. A
  // failed call leaves no process behind. The caller must reap what it gets.
  virtual Result<SpawnedProcess> Spawn(const SpawnSpec& spec, const SpawnFds& fds) = 0;
};

// posix_spawn and pidfd_open. Confined to the main thread: the kernel kills a child when the thread
// that spawned it ends (PR_SET_PDEATHSIG), not when the process does.
class PosixLauncher final : public ProcessLauncher {
 public:
  Result<SpawnedProcess> Spawn(const SpawnSpec& spec, const SpawnFds& fds) override;
};

}  // namespace az
