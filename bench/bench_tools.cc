#include "bench/bench_tools.h"

#include <signal.h>
#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/strings.h"
#include "engine/process/proc_memory.h"

namespace az {

PausedProcesses::PausedProcesses(std::vector<pid_t> pids) : pids_(std::move(pids)) {
  for (const pid_t pid : pids_) ::kill(pid, SIGSTOP);
}

PausedProcesses::~PausedProcesses() {
  for (const pid_t pid : pids_) ::kill(pid, SIGCONT);
}

double CpuSeconds(pid_t pid) {
  const Result<Duration> time = ReadCpuTime(pid);
  return time ? Seconds(*time) : 0.0;
}

std::filesystem::path ProgramFolder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

}  // namespace az
