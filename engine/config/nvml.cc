#include "engine/config/nvml.h"

#include <dlfcn.h>

#include <array>
#include <memory>

namespace az {
namespace {

// Own declarations of the few functions used (the toolkit does not ship nvml.h everywhere). 0 is
// success.
struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
static_assert(sizeof(NvmlMemory) == 24);
using NvmlDevice = void*;
using Init = int (*)();
using Shutdown = int (*)();
using HandleByIndex = int (*)(unsigned, NvmlDevice*);
using GetName = int (*)(NvmlDevice, char*, unsigned);
using GetMemory = int (*)(NvmlDevice, NvmlMemory*);
using GetCapability = int (*)(NvmlDevice, int*, int*);

template <class F>
F Symbol(void* library, const char* name) {
  return reinterpret_cast<F>(::dlsym(library, name));
}

std::optional<GpuFacts> Ask(void* library, int index) {
  const auto handle_by_index = Symbol<HandleByIndex>(library, "nvmlDeviceGetHandleByIndex_v2");
  const auto get_name = Symbol<GetName>(library, "nvmlDeviceGetName");
  const auto get_memory = Symbol<GetMemory>(library, "nvmlDeviceGetMemoryInfo");
  const auto get_capability = Symbol<GetCapability>(library, "nvmlDeviceGetCudaComputeCapability");
  if (!handle_by_index || !get_name || !get_memory || !get_capability) return {};
  NvmlDevice device = nullptr;
  NvmlMemory memory{};
  std::array<char, 96> name{};
  int major = 0;
  int minor = 0;
  if (handle_by_index(static_cast<unsigned>(index), &device) != 0) return {};
  if (get_memory(device, &memory) != 0 || memory.total == 0) return {};
  if (get_name(device, name.data(), static_cast<unsigned>(name.size() - 1)) != 0) return {};
  if (get_capability(device, &major, &minor) != 0) return {};
  return GpuFacts{.name = name.data(),
                  .total = Bytes(static_cast<std::int64_t>(memory.total)),
                  .free = Bytes(static_cast<std::int64_t>(memory.free)),
                  .compute_major = major};
}

}  // namespace

std::optional<GpuFacts> ReadGpu(int index) {
  void* const library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  std::optional<GpuFacts> facts;
  const auto init = Symbol<Init>(library, "nvmlInit_v2");
  const auto shutdown = Symbol<Shutdown>(library, "nvmlShutdown");
  if (init != nullptr && shutdown != nullptr && init() == 0) {
    facts = Ask(library, index);
    shutdown();
  }
  ::dlclose(library);
  return facts;
}

}  // namespace az
