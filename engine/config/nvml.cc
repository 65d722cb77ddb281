#include "engine/config/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace az {
namespace {

// Own declarations of the few functions used: the toolkit does not ship nvml.h everywhere.
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
  unsigned long long reserved;  // by the driver
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

std::optional<Bytes> BytesOf(unsigned long long count) {
  if (count > static_cast<unsigned long long>(std::int64_t{1} << 50)) return {};  // a petabyte: odd
  return Bytes(static_cast<std::int64_t>(count));
}

std::optional<std::vector<CoTenant>> CoTenantsOf(const GpuMemory& memory) {
  if (!memory.processes) return {};
  std::vector<CoTenant> out;
  for (const GpuProcess& process : *memory.processes) {
    out.push_back({.pid = process.pid, .bytes = process.bytes});
  }
  // Unknown ones last: nullopt is less than any size.
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
  // The struct's bus id as text begins at byte 0 (legacy, 16 bytes) and is whole at byte 36.
  int (*pci_info)(Handle, void*) = nullptr;
  int (*name)(Handle, char*, unsigned) = nullptr;
  int (*uuid)(Handle, char*, unsigned) = nullptr;  // may be missing
  int (*memory)(Handle, MemoryV1*) = nullptr;
  int (*memory_v2)(Handle, MemoryV2*) = nullptr;  // may be missing in old drivers
  int (*capability)(Handle, int*, int*) = nullptr;
  int (*processes)(Handle, unsigned*, ProcessInfo*) = nullptr;  // may be missing
};

std::optional<Nvml> Nvml::Open(const char* library_name) {
  void* const library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  Functions found;
  Bind(library, "nvmlInit_v2", found.init);
  Bind(library, "nvmlShutdown", found.shutdown);
  Bind(library, "nvmlDeviceGetHandleByIndex_v2", found.handle_by_index);
  Bind(library, "nvmlDeviceGetHandleByPciBusId_v2", found.handle_by_pci);
  Bind(library, "nvmlDeviceGetPciInfo_v3", found.pci_info);
  Bind(library, "nvmlDeviceGetName", found.name);
  Bind(library, "nvmlDeviceGetUUID", found.uuid);
  Bind(library, "nvmlDeviceGetMemoryInfo", found.memory);
  Bind(library, "nvmlDeviceGetMemoryInfo_v2", found.memory_v2);
  Bind(library, "nvmlDeviceGetCudaComputeCapability", found.capability);
  Bind(library, "nvmlDeviceGetComputeRunningProcesses_v3", found.processes);
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

void* Nvml::Find(const std::string& pci_id) const {
  Handle device = nullptr;
  return functions_->handle_by_pci(pci_id.c_str(), &device) == kSuccess ? device : nullptr;
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

std::optional<GpuFacts> Nvml::Facts(const std::string& pci_id) const {
  const Handle device = Find(pci_id);
  std::array<char, 96> name{};
  std::array<char, 96> uuid{};
  int major = 0;
  int minor = 0;
  if (device == nullptr) return {};
  if (functions_->name(device, name.data(), static_cast<unsigned>(name.size() - 1)) != kSuccess) {
    return {};
  }
  if (functions_->capability(device, &major, &minor) != kSuccess) return {};
  const GpuMemory memory = Memory(pci_id);
  if (!memory.total || !memory.free || *memory.total <= Bytes()) return {};
  if (functions_->uuid == nullptr ||
      functions_->uuid(device, uuid.data(), static_cast<unsigned>(uuid.size() - 1)) != kSuccess) {
    uuid[0] = '\0';
  }
  return GpuFacts{.name = name.data(),
                  .uuid = uuid.data(),
                  .total = *memory.total,
                  .free = *memory.free,
                  .compute_major = major,
                  .co_tenants = CoTenantsOf(memory)};
}

GpuMemory Nvml::Memory(const std::string& pci_id) const {
  GpuMemory out;
  const Handle device = Find(pci_id);
  if (device == nullptr) return out;
  MemoryV2 v2{};
  v2.version = kMemoryV2;
  MemoryV1 v1{};
  if (functions_->memory_v2 != nullptr && functions_->memory_v2(device, &v2) == kSuccess) {
    // Whether this version's figure has the driver's part in it depends on the driver.
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
  while (list.size() <= kMostProcesses) {  // grows between two calls: ask again with more room
    unsigned count = static_cast<unsigned>(list.size());
    const int code = functions_->processes(device, &count, list.data());
    if (code == kInsufficientSize) {
      list.resize(std::max<std::size_t>(list.size() * 2, count));
      continue;
    }
    if (code != kSuccess || count > list.size()) return out;
    out.processes.emplace();
    for (unsigned i = 0; i < count; ++i) {
      // 0 bytes for a process with a context is as odd as "not available".
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

std::optional<GpuFacts> ReadGpu(int index) {
  const std::optional<Nvml> nvml = Nvml::Open();
  if (!nvml) return {};
  const std::optional<std::string> pci_id = nvml->PciId(index);
  return pci_id ? nvml->Facts(*pci_id) : std::nullopt;
}

}  // namespace az
