#include "engine/ipc/memory_limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "base/strings.h"

namespace az {
namespace {

namespace fs = std::filesystem;

// The files of one cgroup version.
struct Names {
  const char* limit;
  const char* usage;
  const char* inactive_cache;  // keys of memory.stat
  const char* active_cache;
};
constexpr Names kV2{"memory.max", "memory.current", "inactive_file", "active_file"};
constexpr Names kV1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
                    "total_active_file"};

// False when the file is missing or holds no number ("max").
bool ReadNumber(const fs::path& path, std::int64_t& value) {
  std::ifstream file(path);
  std::string text;
  return file >> text && ParseInt(text, value);
}

// Clean file cache is counted as used but given back under pressure.
std::int64_t ReadCache(const fs::path& path, const Names& names) {
  std::ifstream file(path);
  std::string key;
  std::int64_t value = 0;
  std::int64_t cache = 0;
  while (file >> key >> value) {
    if (key == names.inactive_cache || key == names.active_cache) cache += value;
  }
  return cache;
}

// The group's own limit and those of every group around it, up to the mount.
void ReadHierarchy(const fs::path& mount, fs::path group, const Names& names,
                   MemoryLimits& limits) {
  while (true) {
    const fs::path folder = mount / group.relative_path();
    std::int64_t limit = 0;
    std::int64_t usage = 0;
    if (ReadNumber(folder / names.limit, limit) && ReadNumber(folder / names.usage, usage)) {
      const std::int64_t used =
          std::max<std::int64_t>(usage - ReadCache(folder / "memory.stat", names), 0);
      const Bytes left(std::max<std::int64_t>(limit - used, 0));
      if (left < limits.cgroup_left) {
        limits.cgroup_left = left;
        limits.cgroup = (folder / names.limit).string();
      }
    }
    if (!group.has_relative_path()) return;
    group = group.parent_path();
  }
}

}  // namespace

MemoryLimits ReadMemoryLimits(const fs::path& root) {
  MemoryLimits limits;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:cpu,memory:/a/b" (v1), "0::/a/b" (v2)
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    const auto names = Split(controllers, ',');
    if (controllers.empty()) {
      ReadHierarchy(root / "sys/fs/cgroup", group, kV2, limits);
      ReadHierarchy(root / "sys/fs/cgroup/unified", group, kV2, limits);
    } else if (std::find(names.begin(), names.end(), "memory") != names.end()) {
      ReadHierarchy(root / "sys/fs/cgroup/memory", group, kV1, limits);
    }
  }
  rlimit file_size{};
  if (::getrlimit(RLIMIT_FSIZE, &file_size) == 0 && file_size.rlim_cur != RLIM_INFINITY) {
    limits.file_size = Bytes(static_cast<std::int64_t>(
        std::min<rlim_t>(file_size.rlim_cur, static_cast<rlim_t>(MemoryLimits::kNone))));
  }
  return limits;
}

Result<void> CheckFits(Bytes wanted, const MemoryLimits& limits) {
  if (wanted > limits.file_size) {
    return Error{
        Errc::kNoSpace,
        StrCat("a shared segment of ", FormatBytes(wanted), " is over the file size limit of ",
               FormatBytes(limits.file_size), " (raise it with ulimit -f, or lower num_workers)")};
  }
  if (wanted > limits.cgroup_left) {
    return Error{Errc::kNoMemory,
                 StrCat("a shared segment of ", FormatBytes(wanted), " is more than the ",
                        FormatBytes(limits.cgroup_left), " that the memory cgroup leaves (",
                        limits.cgroup, "; raise it, or lower num_workers)")};
  }
  return {};
}

}  // namespace az
