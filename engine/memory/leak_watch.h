#pragma once
// LeakWatch: the series of a run's memory that must not grow from iteration to iteration, and whose
// process a restart would help. Fed at the end of each iteration, after all caches were returned.

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "engine/process/memory_monitor.h"
#include "scheduler/leak.h"

namespace az {

inline constexpr int kSupervisorLane = std::numeric_limits<int>::min();  // this process

struct LeakFinding {
  std::string series;  // "device_ram", "worker_3_ram", "device_allocated"
  int lane = 0;        // of its process
  Trend trend;
};

// Thread-compatible.
class LeakWatch {
 public:
  explicit LeakWatch(const LeakOptions& options) : options_(options) {}

  // One iteration's figures. `window`: what the device's replay window is known to take, which may
  // grow. Each leak is told once, until its process is started again.
  std::vector<LeakFinding> Add(const MemoryUse& use, Bytes window);
  // The process of this lane is a new one: its series begin anew.
  void Restart(int lane);

 private:
  struct Series {
    int lane;
    LeakSeries samples;
    bool is_told = false;
  };
  void AddTo(const std::string& name, int lane, std::optional<Bytes> value,
             std::vector<LeakFinding>& found);

  LeakOptions options_;
  std::map<std::string, Series> series_;
};

}  // namespace az
