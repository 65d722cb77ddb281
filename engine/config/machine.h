#pragma once
// Machine: the cores, memory, processor features and GPU that this process can use. Programs read
// it once at the start; the planner gets it as values.

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
  std::string uuid;  // "GPU-8c4f…"; empty: unknown
  Bytes total;
  Bytes free;
  int compute_major = 0;  // 8: Ampere, the first with fast bf16
  int compute_minor = 0;
  int cuda_driver = 0;    // the newest CUDA that the driver supports: 13000 is 13.0; 0: unknown
  bool is_split = false;  // MIG is enabled: CUDA shows instances of the card, not the whole card
  // The processes that compute on it, the largest first; nullopt: unknown.
  std::optional<std::vector<CoTenant>> co_tenants{};
};

struct Machine {
  int cores = 1;  // by affinity or cgroup quotas, whichever is less; part of a core counts as one
  Bytes memory_available;       // MemAvailable
  bool fast_bf16 = false;       // the processor has AVX512-BF16
  std::optional<GpuFacts> gpu;  // the GPU asked for; nullopt: none, or no driver
};

// Reads /proc and /sys below `root` (tests have their own, programs "/"), the affinity mask and,
// for a GPU, the driver's management library, which makes no CUDA context. With `gpu_index` < 0 it
// does not look for a GPU. A limit that cannot be read counts as none.
Machine ReadMachine(const std::filesystem::path& root, int gpu_index);

// The cores that the CPU quotas of the process's cgroups (v1 and v2, with their parents) allow;
// nullopt without a quota.
std::optional<double> CpuQuota(const std::filesystem::path& root);

// Fills in the names that /proc below `root` has for these processes. In a container it fills in
// none: the driver reports the host's pids, which mean other processes or none here.
void NameProcesses(const std::filesystem::path& root, std::vector<CoTenant>& processes);

// The GPU that engine.device names: 0 for auto and cuda, N for cuda:N, -1 for cpu.
int GpuIndexOf(const EngineOptions& options);

// The device's name for InferenceDevice::Open: "cpu" or "cuda:N". Never "auto", which might mean
// another device than the one that the plan was made for.
std::string DeviceName(DeviceKind kind, const EngineOptions& options);

// Says why CUDA 13, which LibTorch is built with, cannot use this GPU, or why the GPU's figures are
// not those of the device that CUDA would use. Empty: the GPU can be used.
std::string FaultOf(const GpuFacts& gpu);

enum class GpuPart : std::uint8_t { kBuilt, kLeftOut };
GpuPart GpuPartOfThisBuild();

// The device that engine.device means on this machine. With `auto` and a GPU that has a fault
// (FaultOf) it is the processor, and DeviceFacts::gpu_fault says why. `ram`: host memory that the
// run may count on. Fails with kUnavailable when a GPU was asked for by name and there is none, it
// has a fault, or this build cannot use it.
Result<DeviceFacts> ChooseDevice(const EngineOptions& options, const Machine& machine, Bytes ram,
                                 GpuPart part = GpuPartOfThisBuild());

// A card that this machine does not have, for az_plan --simulate: a size ("12GiB"), a size and a
// known model ("12GiB:rtx4070"), or a known card ("rtx4070-12GB", cards.h). 256 MiB of it count as
// taken by others. Fails with kInvalid for any other text, listing the known cards.
Result<DeviceFacts> SimulatedCard(std::string_view text, const Machine& machine, Bytes ram);

}  // namespace az
