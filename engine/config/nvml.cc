#include "engine/config/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "engine/config/visible_gpus.h"

namespace az {
namespace {

// Our own declarations of the few functions we use: nvml.h is not installed everywhere.
using Handle = void*;
constexpr int kSuccess = 0;
constexpr int kInsufficientSize = 7;

struct MemoryV1 {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
static_assert(sizeof(MemoryV1) == 24);
struct MemoryV2 {
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;  // the driver's own part
  unsigned long long free;
  unsigned long long used;
};
static_assert(sizeof(MemoryV2) == 40);
constexpr unsigned kMemoryV2 = 0x02000028;  // 2 << 24 | sizeof
struct ProcessInfo {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance;
  unsigned compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24);
constexpr unsigned long long kNotAvailable = ~0ull;
constexpr unsigned kMostProcesses = 4096;
constexpr unsigned kMostGpus = 256;
constexpr std::string_view kMig = "MIG-";
constexpr int kLeastMajorOfMig = 8;  // Ampere is the first that has it

std::optional<Bytes> BytesOf(unsigned long long count) {
  if (count > static_cast<unsigned long long>(std::int64_t{1} << 50)) return {};  // over a petabyte
  return Bytes(static_cast<std::int64_t>(count));
}

std::optional<std::vector<CoTenant>> CoTenantsOf(const GpuMemory& memory) {
  if (!memory.processes) return {};
  std::vector<CoTenant> out;
  for (const GpuProcess& process : *memory.processes) {
    out.push_back({.pid = process.pid, .bytes = process.bytes});
  }
  // Unknown sizes come last: nullopt is less than any size.
  std::ranges::stable_sort(out, std::ranges::greater(), &CoTenant::bytes);
  return out;
}

template <class F>
void Bind(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(::dlsym(library, name));
}

}  // namespace

struct Nvml::Functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*handle_by_index)(unsigned, Handle*) = nullptr;
  int (*handle_by_pci)(const char*, Handle*) = nullptr;
  int (*handle_by_uuid)(const char*, Handle*) = nullptr;  // for MIG instances; may be missing
  // The struct holds the bus id as text twice: shortened at byte 0 (16 bytes, legacy), in full at
  // byte 36.
  int (*pci_info)(Handle, void*) = nullptr;
  int (*name)(Handle, char*, unsigned) = nullptr;
  int (*uuid)(Handle, char*, unsigned) = nullptr;  // may be missing
  int (*memory)(Handle, MemoryV1*) = nullptr;
  int (*memory_v2)(Handle, MemoryV2*) = nullptr;  // may be missing in old drivers
  int (*capability)(Handle, int*, int*) = nullptr;
  int (*processes)(Handle, unsigned*, ProcessInfo*) = nullptr;  // may be missing
  int (*cuda_driver)(int*) = nullptr;                           // may be missing
  int (*mig_mode)(Handle, unsigned*, unsigned*) = nullptr;      // now and pending; may be missing
};

std::optional<Nvml> Nvml::Open(const char* library_name) {
  void* const library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  Functions found;
  Bind(library, "nvmlInit_v2", found.init);
  Bind(library, "nvmlShutdown", found.shutdown);
  Bind(library, "nvmlDeviceGetHandleByIndex_v2", found.handle_by_index);
  Bind(library, "nvmlDeviceGetHandleByPciBusId_v2", found.handle_by_pci);
  Bind(library, "nvmlDeviceGetHandleByUUID", found.handle_by_uuid);
  Bind(library, "nvmlDeviceGetPciInfo_v3", found.pci_info);
  Bind(library, "nvmlDeviceGetName", found.name);
  Bind(library, "nvmlDeviceGetUUID", found.uuid);
  Bind(library, "nvmlDeviceGetMemoryInfo", found.memory);
  Bind(library, "nvmlDeviceGetMemoryInfo_v2", found.memory_v2);
  Bind(library, "nvmlDeviceGetCudaComputeCapability", found.capability);
  Bind(library, "nvmlDeviceGetComputeRunningProcesses_v3", found.processes);
  Bind(library, "nvmlSystemGetCudaDriverVersion_v2", found.cuda_driver);
  Bind(library, "nvmlDeviceGetMigMode", found.mig_mode);
  const bool complete = found.init && found.shutdown && found.handle_by_index &&
                        found.handle_by_pci && found.pci_info && found.name && found.memory &&
                        found.capability;
  if (!complete || found.init() != kSuccess) {
    ::dlclose(library);
    return {};
  }
  return Nvml(library, found);
}

Nvml::Nvml(void* library, const Functions& functions)
    : library_(library), functions_(std::make_unique<Functions>(functions)) {}

Nvml::Nvml(Nvml&& other) noexcept
    : library_(std::exchange(other.library_, nullptr)), functions_(std::move(other.functions_)) {}

Nvml::~Nvml() {
  if (library_ == nullptr) return;
  functions_->shutdown();
  ::dlclose(library_);
}

void* Nvml::Find(const std::string& id) const {
  const auto find = id.starts_with(kMig) ? functions_->handle_by_uuid : functions_->handle_by_pci;
  Handle device = nullptr;
  return find != nullptr && find(id.c_str(), &device) == kSuccess ? device : nullptr;
}

std::string Nvml::UuidOf(void* device) const {
  std::array<char, 96> uuid{};
  if (functions_->uuid == nullptr ||
      functions_->uuid(device, uuid.data(), static_cast<unsigned>(uuid.size() - 1)) != kSuccess) {
    return {};
  }
  return uuid.data();
}

std::optional<std::string> Nvml::PciId(int index) const {
  Handle device = nullptr;
  if (index < 0 || functions_->handle_by_index(static_cast<unsigned>(index), &device) != kSuccess) {
    return {};
  }
  constexpr std::size_t kLegacyId = 16;
  constexpr std::size_t kNumbers = 5 * sizeof(unsigned);  // domain, bus, device, two ids
  std::array<char, 256> info{};                           // the library writes 68 bytes
  if (functions_->pci_info(device, info.data()) != kSuccess) return {};
  std::string id(info.data() + kLegacyId + kNumbers);
  if (id.empty()) return {};
  return id;
}

std::optional<std::string> Nvml::IdOfCudaDevice(int cuda_index,
                                                std::optional<std::string_view> visible) const {
  std::vector<std::string> uuids;
  Handle device = nullptr;
  for (unsigned i = 0; i < kMostGpus && functions_->handle_by_index(i, &device) == kSuccess; ++i) {
    uuids.push_back(UuidOf(device));
  }
  const std::vector<VisibleGpu> gpus = VisibleGpus(visible, uuids);
  if (cuda_index < 0 || static_cast<std::size_t>(cuda_index) >= gpus.size()) return {};
  const VisibleGpu& gpu = gpus[static_cast<std::size_t>(cuda_index)];
  if (!gpu.mig_uuid.empty()) return gpu.mig_uuid;
  return PciId(gpu.index);
}

std::optional<GpuFacts> Nvml::Facts(const std::string& id) const {
  const Handle device = Find(id);
  const bool is_instance = id.starts_with(kMig);
  std::array<char, 96> name{};
  GpuFacts facts;
  if (device == nullptr) return {};
  if (functions_->name(device, name.data(), static_cast<unsigned>(name.size() - 1)) != kSuccess) {
    return {};
  }
  facts.name = name.data();
  if (functions_->capability(device, &facts.compute_major, &facts.compute_minor) != kSuccess) {
    if (!is_instance) return {};
    facts.compute_major = kLeastMajorOfMig;
  }
  const GpuMemory memory = Memory(id);
  if (!memory.total || !memory.free || *memory.total <= Bytes()) return {};
  facts.total = *memory.total;
  facts.free = *memory.free;
  facts.uuid = UuidOf(device);
  facts.co_tenants = CoTenantsOf(memory);
  if (functions_->cuda_driver == nullptr || functions_->cuda_driver(&facts.cuda_driver) != kSuccess)
    facts.cuda_driver = 0;
  unsigned mig = 0;
  unsigned pending = 0;
  facts.is_split = !is_instance && functions_->mig_mode != nullptr &&
                   functions_->mig_mode(device, &mig, &pending) == kSuccess && mig != 0;
  return facts;
}

GpuMemory Nvml::Memory(const std::string& id) const {
  GpuMemory out;
  const Handle device = Find(id);
  if (device == nullptr) return out;
  MemoryV2 v2{};
  v2.version = kMemoryV2;
  MemoryV1 v1{};
  if (functions_->memory_v2 != nullptr && functions_->memory_v2(device, &v2) == kSuccess) {
    // Whether version 1's figure includes the driver's own part depends on the driver.
    v1 = {.total = v2.total, .free = v2.free, .used = v2.total - std::min(v2.free, v2.total)};
  } else if (functions_->memory(device, &v1) != kSuccess) {
    v1 = {};
  }
  if (v1.total > 0) {
    out.total = BytesOf(v1.total);
    out.free = BytesOf(v1.free);
    out.used = BytesOf(v1.used);
  }
  if (functions_->processes == nullptr) return out;
  std::vector<ProcessInfo> list(16);
  while (list.size() <= kMostProcesses) {  // asks again with more room when the list has grown
    unsigned count = static_cast<unsigned>(list.size());
    const int code = functions_->processes(device, &count, list.data());
    if (code == kInsufficientSize) {
      list.resize(std::max<std::size_t>(list.size() * 2, count));
      continue;
    }
    if (code != kSuccess || count > list.size()) return out;
    out.processes.emplace();
    for (unsigned i = 0; i < count; ++i) {
      // A process with a context cannot have 0 bytes: that counts as "not available", too.
      const bool known = list[i].used != kNotAvailable && list[i].used != 0;
      out.processes->push_back({.pid = static_cast<pid_t>(list[i].pid),
                                .bytes = known ? BytesOf(list[i].used) : std::nullopt});
    }
    return out;
  }
  return out;
}

GpuShare ShareOf(const GpuMemory& now, pid_t pid, std::optional<Bytes> used_before) {
  if (now.processes) {
    for (const GpuProcess& process : *now.processes) {
      if (process.pid == pid && process.bytes) return {GpuShare::Source::kListed, process.bytes};
    }
  }
  if (now.used && used_before && *now.used >= *used_before) {
    return {GpuShare::Source::kDelta, *now.used - *used_before};
  }
  return {};
}

std::optional<GpuFacts> ReadGpu(int cuda_index, const char* library) {
  const std::optional<Nvml> nvml = Nvml::Open(library);
  if (!nvml) return {};
  const std::optional<std::string> id = nvml->IdOfCudaDevice(cuda_index, CudaVisibleDevices());
  return id ? nvml->Facts(*id) : std::nullopt;
}

}  // namespace az
