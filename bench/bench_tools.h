#pragma once
// What benchmarks with processes share: processes that stand still for a while, their CPU time.

#include <sys/types.h>

#include <filesystem>
#include <vector>

namespace az {

// While it lives these processes stand still (SIGSTOP), so that a rival is measured on the same
// cores. REQUIRES: children of this process, not reaped. Thread-compatible.
class PausedProcesses {
 public:
  explicit PausedProcesses(std::vector<pid_t> pids);
  ~PausedProcesses();
  PausedProcesses(const PausedProcesses&) = delete;
  PausedProcesses& operator=(const PausedProcesses&) = delete;

 private:
  const std::vector<pid_t> pids_;
};

// Seconds of CPU that the process has used so far; 0 when it is gone.
double CpuSeconds(pid_t pid);

// The folder of the running program.
std::filesystem::path ProgramFolder();

}  // namespace az
