#pragma once
// Log: one event per line, `event=batch rows=192 wait_us=410`, units in the keys. A line is one
// write(), so lines of processes that share a file do not mix. Levels: error, a person must act;
// warn, something is degraded; info, at most one line per second and process; debug, off by
// default. Never used inside a simulation.

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/files.h"

namespace az {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

// Thread-safe. Passed by reference; there is no global log.
class Log {
 public:
  // Lines go to `fd` (borrowed; -1 drops them), each with time, level and `who` ("worker_3").
  Log(int fd, std::string who, LogLevel least = LogLevel::kInfo);

  void Write(LogLevel level, std::string_view line) const;
  void Debug(std::string_view line) const { Write(LogLevel::kDebug, line); }
  void Info(std::string_view line) const { Write(LogLevel::kInfo, line); }
  void Warn(std::string_view line) const { Write(LogLevel::kWarn, line); }
  void Error(std::string_view line) const { Write(LogLevel::kError, line); }

 private:
  int fd_;
  std::string who_;
  LogLevel least_;
};

}  // namespace az
