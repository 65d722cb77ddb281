#pragma once
// What this machine gives the process: cores, memory, processor features, GPUs. Read once at the
// start by the programs; the planner gets it as values.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "engine/config/options.h"
#include "scheduler/plan.h"

namespace az {

struct GpuFacts {
  std::string name;
  std::string uuid;  // "GPU-8c4f…"; empty: the driver does not tell
  Bytes total;
  Bytes free;
  int compute_major = 0;  // 8: Ampere, the first with fast bf16
  int compute_minor = 0;
  int cuda_driver = 0;    // the newest CUDA that the driver supports: 13000 is 13.0; 0: unknown
  bool is_split = false;  // MIG is enabled: CUDA shows instances of it, not all of the card
  // Who computes on it, the largest first; empty: the driver does not tell.
  std::optional<std::vector<CoTenant>> co_tenants{};
};

struct Machine {
  int cores = 1;  // affinity and cgroup quotas, whichever is least; a part of a core counts as one
  Bytes memory_available;       // MemAvailable
  bool fast_bf16 = false;       // AVX512-BF16, for the CPU device
  std::optional<GpuFacts> gpu;  // the GPU asked for; empty: none, or no driver
};

// Reads /proc and /sys below `root` ("/" but in tests), the affinity mask and, for a GPU, the
// driver's management library (no CUDA context is made). `gpu_index` < 0 does not look for a GPU.
// What cannot be read does not limit.
Machine ReadMachine(const std::filesystem::path& root, int gpu_index);

// Cores that the CPU quotas of the process's cgroups (v1 and v2, with their parents) allow; empty
// without a quota.
std::optional<double> CpuQuota(const std::filesystem::path& root);

// Fills in the names that /proc below `root` has for these processes. None in a container: the
// driver tells the host's pids, which here are nobody's or another's.
void NameProcesses(const std::filesystem::path& root, std::vector<CoTenant>& processes);

// The GPU that engine.device names: 0 for auto and cuda, N for cuda:N, -1 for cpu.
int GpuIndexOf(const EngineOptions& options);

// What InferenceDevice::Open calls it: "cpu", "cuda:N". Never auto, which might be another device
// than the one that sizes were planned for.
std::string DeviceName(DeviceKind kind, const EngineOptions& options);

// Why CUDA 13, which LibTorch is built with, cannot use this GPU, or why its figures are not those
// of what CUDA would use. Empty: nothing speaks against it.
std::string FaultOf(const GpuFacts& gpu);

enum class GpuPart : std::uint8_t { kBuilt, kLeftOut };
GpuPart GpuPartOfThisBuild();

// The device that engine.device means on this machine. `auto` with a GPU that FaultOf speaks
// against is the processor, and DeviceFacts::gpu_fault says why. kUnavailable: a GPU was asked for
// by name and there is none, it has a fault, or this build cannot use it. `ram`: host memory that
// the run may count on.
Result<DeviceFacts> ChooseDevice(const EngineOptions& options, const Machine& machine, Bytes ram,
                                 GpuPart part = GpuPartOfThisBuild());

// A card that is not there, for az_plan --simulate: a size ("12GiB"), a size and a known model
// ("12GiB:rtx4070"), or a known card ("rtx4070-12GB", cards.h). 256 MiB of it count as taken by
// others. kInvalid: none of these; the message lists the known cards.
Result<DeviceFacts> SimulatedCard(std::string_view text, const Machine& machine, Bytes ram);

}  // namespace az
