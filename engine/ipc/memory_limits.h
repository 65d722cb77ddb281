#pragma once
// What the system still lets this process put into a memory-backed file. Asked before a byte is
// touched: over a cgroup limit the kernel kills the toucher without an error, over RLIMIT_FSIZE it
// sends SIGXFSZ.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace az {

struct MemoryLimits {
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  Bytes cgroup_left{kNone};     // least over all enclosing cgroups; file cache counts as free
  std::string cgroup = "none";  // which file set it
  Bytes file_size{kNone};       // RLIMIT_FSIZE
};

// Reads cgroups v1 and v2 below `root` ("/" but in tests) and the resource limit. What cannot be
// read does not limit.
MemoryLimits ReadMemoryLimits(const std::filesystem::path& root);

// kNoMemory or kNoSpace, with both numbers and the way out, when `wanted` is more than the limits
// leave.
Result<void> CheckFits(Bytes wanted, const MemoryLimits& limits);

}  // namespace az
