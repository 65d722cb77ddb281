#include "engine/process/memory_monitor.h"

#include <algorithm>

#include "engine/config/machine.h"
#include "engine/config/visible_gpus.h"
#include "engine/ipc/memory_limits.h"

namespace az {
namespace {

Bytes AnonymousOf(pid_t pid) {
  const Result<ProcMemory> memory = ReadProcMemory(pid);
  return memory ? memory->anonymous : Bytes();
}

std::optional<Bytes> HostFree() {
  const Bytes available = ReadMachine("/", /*gpu_index=*/-1).memory_available;
  if (available <= Bytes()) return {};
  return std::min(available, ReadMemoryLimits("/").cgroup_left);
}

}  // namespace

Bytes MemoryUse::AllWorkers() const {
  Bytes sum;
  for (const LaneBytesUsed& worker : workers) sum += worker.bytes;
  return sum;
}

MemoryMonitor::MemoryMonitor(int cuda_index, const char* nvml_library)
    : nvml_(cuda_index >= 0 ? Nvml::Open(nvml_library) : std::nullopt) {
  if (!nvml_) return;
  gpu_id_ = nvml_->IdOfCudaDevice(cuda_index, CudaVisibleDevices()).value_or("");
  if (sees_gpu()) gpu_used_before_ = nvml_->Memory(gpu_id_).used;
}

MemoryUse MemoryMonitor::Look(const RunProcesses& processes) const {
  MemoryUse use;
  use.supervisor = AnonymousOf(processes.supervisor);
  use.segment = processes.segment;
  use.host_free = HostFree();
  for (const pid_t device : processes.devices) use.device += AnonymousOf(device);
  for (const LanePid& worker : processes.workers) {
    use.workers.push_back({worker.lane, AnonymousOf(worker.pid)});
  }
  if (sees_gpu()) {
    use.gpu = nvml_->Memory(gpu_id_);
    const pid_t device = processes.devices.empty() ? 0 : processes.devices.front();
    use.gpu_share = ShareOf(use.gpu, device, gpu_used_before_);
  }
  return use;
}

Bytes ProportionalMemory(const RunProcesses& processes) {
  std::vector<pid_t> pids = {processes.supervisor};
  pids.insert(pids.end(), processes.devices.begin(), processes.devices.end());
  for (const LanePid& worker : processes.workers) pids.push_back(worker.pid);
  return SumMemory(pids).proportional;
}

}  // namespace az
