#pragma once
// Tools of benchmarks with processes: pausing processes, and reading their CPU time.

#include <sys/types.h>

#include <filesystem>
#include <vector>

namespace az {

// Stops processes (SIGSTOP) as long as it exists, so that a rival can be measured on the same
// cores. REQUIRES: they are children of this process that were not reaped. Thread-compatible.
class PausedProcesses {
 public:
  explicit PausedProcesses(std::vector<pid_t> pids);
  ~PausedProcesses();
  PausedProcesses(const PausedProcesses&) = delete;
  PausedProcesses& operator=(const PausedProcesses&) = delete;

 private:
  const std::vector<pid_t> pids_;
};

// The CPU seconds that the process has used so far; 0 when it is gone.
double CpuSeconds(pid_t pid);

// The folder of the running program.
std::filesystem::path ProgramFolder();

}  // namespace az
