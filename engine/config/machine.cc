#include "engine/config/machine.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "engine/config/cards.h"
#include "engine/config/nvml.h"

namespace az {
namespace {

namespace fs = std::filesystem;

// The driver's version that the CUDA of our LibTorch (requirements/torch-cuda.txt) needs.
constexpr int kLeastCudaDriver = 13000;
constexpr std::pair kLeastCapability(7, 5);

std::string CudaText(int version) { return StrCat(version / 1000, ".", version % 1000 / 10); }

int AffinityCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

Bytes MemAvailable(const fs::path& root) {
  std::ifstream file(root / "proc/meminfo");
  std::string key;
  std::int64_t kib = 0;
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || line.substr(0, colon) != "MemAvailable") continue;
    const auto words = Split(Trim(std::string_view(line).substr(colon + 1)), ' ');
    if (ParseInt(words[0], kib)) return KiB(kib);
  }
  return Bytes();
}

// Reads the quota of a cgroup v2: "max 100000" or "150000 100000".
std::optional<double> QuotaV2(const fs::path& folder) {
  std::ifstream file(folder / "cpu.max");
  std::string quota;
  double period_us = 0;
  double quota_us = 0;
  if (!(file >> quota >> period_us) || !ParseDouble(quota, quota_us) || period_us <= 0) return {};
  return quota_us / period_us;
}

std::optional<double> QuotaV1(const fs::path& folder) {
  std::ifstream quota_file(folder / "cpu.cfs_quota_us");
  std::ifstream period_file(folder / "cpu.cfs_period_us");
  double quota_us = 0;
  double period_us = 0;
  const bool read = (quota_file >> quota_us) && (period_file >> period_us);
  if (!read || quota_us <= 0 || period_us <= 0) return {};
  return quota_us / period_us;
}

template <class Read>
void LeastUpTheTree(const fs::path& mount, fs::path group, Read read,
                    std::optional<double>& least) {
  while (true) {
    const std::optional<double> quota = read(mount / group.relative_path());
    if (quota.has_value() && (!least.has_value() || *quota < *least)) least = quota;
    if (!group.has_relative_path()) return;
    group = group.parent_path();
  }
}

DeviceFacts CpuFacts(const Machine& machine, Bytes ram) {
  DeviceFacts facts;
  facts.kind = DeviceKind::kCpu;
  facts.name = "cpu";
  facts.cores = machine.cores;
  facts.ram = ram;
  facts.fast_bf16 = facts.cpu_fast_bf16 = machine.fast_bf16;
  return facts;
}

DeviceFacts CudaFacts(const Machine& machine, Bytes ram, const GpuFacts& gpu) {
  DeviceFacts facts = CpuFacts(machine, ram);
  facts.kind = DeviceKind::kCuda;
  facts.name = gpu.name;
  facts.uuid = gpu.uuid;
  facts.vram = gpu.free;
  facts.vram_total = gpu.total;
  facts.fast_bf16 = gpu.compute_major >= 8;
  const KnownCard* card = CardOfDriverName(gpu.name);
  facts.assumed_tflops = card == nullptr ? 0 : card->tflops;
  facts.co_tenants = gpu.co_tenants;
  return facts;
}

// Whether this process is in the first pid namespace, where our pids are the driver's. The kernel's
// number for that namespace never changes.
bool IsFirstPidNamespace(const fs::path& root) {
  std::error_code code;
  return fs::read_symlink(root / "proc/self/ns/pid", code) == "pid:[4026531836]";
}

}  // namespace

void NameProcesses(const fs::path& root, std::vector<CoTenant>& processes) {
  if (!IsFirstPidNamespace(root)) return;
  for (CoTenant& process : processes) {
    std::ifstream file(root / "proc" / StrCat(process.pid) / "comm");
    std::getline(file, process.name);
    // A process can give itself any name, but reports are plain text.
    std::ranges::replace_if(
        process.name, [](char c) { return c < ' ' || c > '~'; }, '?');
  }
}

std::optional<double> CpuQuota(const fs::path& root) {
  std::optional<double> least;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "1:cpu,cpuacct:/a" (v1), "0::/a" (v2)
    const std::vector<std::string_view> parts = Split(line, ':');
    if (parts.size() < 3) continue;
    const std::vector<std::string_view> controllers = Split(parts[1], ',');
    const fs::path group(parts[2]);
    if (parts[1].empty()) {
      LeastUpTheTree(root / "sys/fs/cgroup", group, QuotaV2, least);
    } else if (std::ranges::find(controllers, "cpu") != controllers.end()) {
      LeastUpTheTree(root / "sys/fs/cgroup/cpu", group, QuotaV1, least);
    }
  }
  return least;
}

Machine ReadMachine(const fs::path& root, int gpu_index) {
  Machine machine;
  machine.cores = AffinityCores();
  if (const std::optional<double> quota = CpuQuota(root)) {
    machine.cores = std::clamp(static_cast<int>(std::ceil(*quota)), 1, machine.cores);
  }
  machine.memory_available = MemAvailable(root);
  machine.fast_bf16 = __builtin_cpu_supports("avx512bf16") != 0;
  if (gpu_index >= 0) machine.gpu = ReadGpu(gpu_index);
  if (machine.gpu && machine.gpu->co_tenants) NameProcesses(root, *machine.gpu->co_tenants);
  return machine;
}

int GpuIndexOf(const EngineOptions& options) {
  if (options.device == "cpu") return -1;
  std::int64_t index = 0;
  const std::string_view device = options.device;
  if (device.starts_with("cuda:")) ParseInt(device.substr(5), index);
  return static_cast<int>(index);
}

std::string DeviceName(DeviceKind kind, const EngineOptions& options) {
  return kind == DeviceKind::kCpu ? "cpu" : StrCat("cuda:", GpuIndexOf(options));
}

std::string FaultOf(const GpuFacts& gpu) {
  if (gpu.cuda_driver > 0 && gpu.cuda_driver < kLeastCudaDriver) {
    return StrCat("the driver of ", gpu.name, " supports CUDA ", CudaText(gpu.cuda_driver),
                  ", this build needs CUDA ", CudaText(kLeastCudaDriver),
                  ": install NVIDIA driver 580 or newer");
  }
  if (std::pair(gpu.compute_major, gpu.compute_minor) < kLeastCapability) {
    return StrCat(gpu.name, " has compute capability ", gpu.compute_major, ".", gpu.compute_minor,
                  ", CUDA ", CudaText(kLeastCudaDriver), " needs ", kLeastCapability.first, ".",
                  kLeastCapability.second, " (Turing) or more");
  }
  if (gpu.is_split) {
    return StrCat("MIG is enabled on ", gpu.name,
                  ": name an instance of nvidia-smi -L in CUDA_VISIBLE_DEVICES=MIG-<uuid>");
  }
  return "";
}

GpuPart GpuPartOfThisBuild() {
#ifdef AZ_CUDA
  return GpuPart::kBuilt;
#else
  return GpuPart::kLeftOut;
#endif
}

Result<DeviceFacts> ChooseDevice(const EngineOptions& options, const Machine& machine, Bytes ram,
                                 GpuPart part) {
  const bool by_name = options.device.starts_with("cuda");
  const auto refused = [&options](std::string_view why) {
    return Error{Errc::kUnavailable, StrCat("engine.device = ", options.device, ": ", why)};
  };
  if (by_name && part == GpuPart::kLeftOut) {
    return refused("this build has no GPU part (build with AZ_CUDA=ON, or set engine.device: cpu)");
  }
  if (by_name && !machine.gpu) {
    return refused(
        "no such GPU here (is the NVIDIA driver loaded, and does CUDA_VISIBLE_DEVICES show it? "
        "else set engine.device: cpu)");
  }
  DeviceFacts processor = CpuFacts(machine, ram);
  if (options.device == "cpu" || part == GpuPart::kLeftOut || !machine.gpu) return processor;
  std::string fault = FaultOf(*machine.gpu);
  if (fault.empty()) return CudaFacts(machine, ram, *machine.gpu);
  if (by_name) return refused(StrCat(fault, " (or set engine.device: cpu)"));
  processor.gpu_fault = std::move(fault);
  return processor;
}

Result<DeviceFacts> SimulatedCard(std::string_view text, const Machine& machine, Bytes ram) {
  const auto colon = text.find(':');
  const std::string_view name = colon == std::string_view::npos ? text : text.substr(colon + 1);
  const Result<Bytes> size = ParseBytes(text.substr(0, colon));
  const KnownCard* card = FindCard(name);
  const bool has_size = size && *size > Bytes();
  if (!has_size && (card == nullptr || colon != std::string_view::npos)) {
    return Error{Errc::kInvalid,
                 StrCat("simulate '", text, "': neither a size like 12GiB, nor a size and a card ",
                        "like 12GiB:rtx4070, nor one of the known cards: ", KnownCardNames())};
  }
  if (card == nullptr && colon != std::string_view::npos) {
    return Error{Errc::kInvalid, StrCat("simulate '", text, "': no card '", name,
                                        "' is known (known: ", KnownCardNames(), ")")};
  }
  GpuFacts gpu;
  gpu.name = has_size ? (card == nullptr ? "card" : name) : card->name;
  gpu.total = has_size ? *size : card->total;
  // On a real card a display, the driver and other programs take a little.
  gpu.free = gpu.total - std::min(MiB(256), gpu.total);
  gpu.compute_major = card == nullptr || card->fast_bf16 ? 8 : 7;
  DeviceFacts facts = CudaFacts(machine, ram, gpu);
  facts.assumed_tflops = card == nullptr ? 0 : card->tflops;
  facts.simulated = true;
  return facts;
}

}  // namespace az
