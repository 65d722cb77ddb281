#pragma once
// What benchmarks with processes share: a folder that goes away, processes that stand still for a
// while.

#include <sys/types.h>

#include <filesystem>
#include <vector>

#include "base/result.h"

namespace az {

// A new folder for temporary files, removed with its contents. Thread-compatible.
class TempFolder {
 public:
  static Result<TempFolder> Make();
  TempFolder(TempFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TempFolder& operator=(TempFolder&&) = delete;
  ~TempFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TempFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

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
