#include "engine/process/kernel_kills.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "base/strings.h"

namespace az {
namespace {

namespace fs = std::filesystem;

// The value of a line "oom_kill 3".
std::optional<std::int64_t> FindKills(const fs::path& path) {
  std::ifstream file(path);
  std::string key;
  std::string value;
  std::int64_t kills = 0;
  while (file >> key >> value) {
    if (key == "oom_kill" && ParseInt(value, kills)) return kills;
  }
  return {};
}

// Where the count may stand, the most precise first. A container may see its own group as the mount.
std::vector<fs::path> Candidates(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  std::vector<fs::path> paths;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:cpu,memory:/a/b" (v1), "0::/a/b" (v2)
    const std::vector<std::string_view> fields = Split(line, ':');
    if (fields.size() < 3) continue;
    const std::vector<std::string_view> controllers = Split(fields[1], ',');
    const fs::path group = fs::path(fields[2]).relative_path();
    if (fields[1].empty()) {
      paths.push_back(mount / group / "memory.events");
      paths.push_back(mount / "memory.events");
    } else if (std::ranges::find(controllers, "memory") != controllers.end()) {
      paths.push_back(mount / "memory" / group / "memory.oom_control");
      paths.push_back(mount / "memory/memory.oom_control");
    }
  }
  paths.push_back(root / "proc/vmstat");
  return paths;
}

}  // namespace

std::optional<std::int64_t> KernelKillsBelow(const fs::path& root) {
  for (const fs::path& path : Candidates(root)) {
    if (const std::optional<std::int64_t> kills = FindKills(path)) return kills;
  }
  return {};
}

void KernelKills::Look(TimePoint now) {
  if (now - read_at_ >= kInterval) Read(now);
}

bool KernelKills::WasRecent(TimePoint now) {
  Read(now);
  return rose_at_ && now - *rose_at_ <= kRecent;
}

void KernelKills::Read(TimePoint now) {
  read_at_ = now;
  const std::optional<std::int64_t> kills = count_();
  if (!kills) return;
  if (*kills > killed_) rose_at_ = now;
  killed_ = *kills;
}

}  // namespace az
