#pragma once
// KernelKills: whether the kernel has just ended a process because RAM ran out. Such a process dies
// of SIGKILL, as one that a person kills; only the kernel's own count tells them apart.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "base/clock.h"

namespace az {

// Processes that the kernel has killed for lack of RAM so far: in this process's cgroup, or on the
// whole machine where cgroups do not tell. Reads below `root` ("/" but in tests). Nothing: the
// system does not tell either.
std::optional<std::int64_t> KernelKillsBelow(const std::filesystem::path& root);
inline std::optional<std::int64_t> CountKernelKills() { return KernelKillsBelow("/"); }

// Thread-compatible.
class KernelKills {
 public:
  using Count = std::function<std::optional<std::int64_t>()>;
  // How long a kill may be back when the death is seen: a large process takes a while to end.
  static constexpr Duration kRecent = std::chrono::seconds(10);
  static constexpr Duration kInterval = std::chrono::seconds(1);

  explicit KernelKills(Count count) : count_(std::move(count)), killed_(count_().value_or(0)) {}

  // Called all the time, so that it is known when the count rose. Reads it once in kInterval.
  void Look(TimePoint now);
  // Reads the count. Whether it rose in the last kRecent; who died now was probably killed then.
  bool WasRecent(TimePoint now);

 private:
  void Read(TimePoint now);

  Count count_;
  std::int64_t killed_ = 0;  // as last read
  TimePoint read_at_{};
  std::optional<TimePoint> rose_at_;  // when a rise was last seen
};

}  // namespace az
