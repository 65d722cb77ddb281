#pragma once
// MemoryMonitor: what a run's processes and its GPU use, by the kernel's and the driver's own
// count. Runs in the supervisor: no LibTorch, no CUDA context. What cannot be had is empty, never
// 0.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "engine/config/nvml.h"
#include "engine/process/messages.h"
#include "engine/process/proc_memory.h"

namespace az {

struct LanePid {
  int lane = 0;
  pid_t pid = 0;
};

// The processes to look at. RAM counts once what all share: the segment is in no process's
// anonymous memory.
struct RunProcesses {
  pid_t supervisor = 0;
  std::vector<pid_t> devices;  // one; with models of their own, one a worker more
  std::vector<LanePid> workers;
  Bytes segment;
};

struct LaneBytesUsed {
  int lane = 0;
  Bytes bytes;
};

// One look. Of a process that ended meanwhile nothing is counted.
struct MemoryUse {
  Bytes supervisor;
  Bytes device;
  Bytes segment;
  std::vector<LaneBytesUsed> workers;
  MemoryLayersMessage layers;  // the device's allocator; filled in by who hears from it
  // What the machine and the cgroups still have for anybody, us included.
  std::optional<Bytes> host_free;
  GpuMemory gpu;       // all empty without a GPU
  GpuShare gpu_share;  // of the first device process
  Bytes AllWorkers() const;
  Bytes Ram() const { return supervisor + device + segment + AllWorkers(); }
};

// Thread-compatible.
class MemoryMonitor {
 public:
  // `cuda_index` (as in cuda:N) < 0, no driver, or no such GPU: RAM alone. Remembers what the GPU's
  // other processes use now, so that our share can be told where the driver lists no bytes.
  explicit MemoryMonitor(int cuda_index, const char* nvml_library = Nvml::kLibrary);

  bool sees_gpu() const { return !gpu_id_.empty(); }
  // Some ten microseconds a process, and milliseconds for a GPU.
  MemoryUse Look(const RunProcesses& processes) const;

 private:
  std::optional<Nvml> nvml_;
  std::string gpu_id_;  // of Nvml
  std::optional<Bytes> gpu_used_before_;
};

// The run's proportional set size, which also counts shared pages of files by their share. Walks
// page tables: milliseconds a process.
Bytes ProportionalMemory(const RunProcesses& processes);

}  // namespace az
