#pragma once
// Nvml: a GPU's name and memory from NVIDIA's management library. The library is loaded at run
// time, so this needs no CUDA and makes no CUDA context. What the library does not know is nullopt
// here, never 0.

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "engine/config/machine.h"

namespace az {

// A process that has a context on the GPU.
struct GpuProcess {
  pid_t pid = 0;               // in a container the host's number, so never compare it with ours
  std::optional<Bytes> bytes;  // nullopt in containers and under some drivers
};

struct GpuMemory {
  std::optional<Bytes> total;
  std::optional<Bytes> free;
  std::optional<Bytes> used;                         // includes the driver's own part
  std::optional<std::vector<GpuProcess>> processes;  // nullopt: unknown
};

// The memory that one process takes on a GPU, and how that is known.
struct GpuShare {
  enum class Source : std::uint8_t {
    kListed,   // the driver lists the process
    kDelta,    // used now minus used before it started; includes changes of co-tenants
    kUnknown,  // neither is available
  };
  Source source = Source::kUnknown;
  std::optional<Bytes> bytes;
};
GpuShare ShareOf(const GpuMemory& now, pid_t pid, std::optional<Bytes> used_before);

// An open library. Movable but not copyable. Thread-compatible.
class Nvml {
 public:
  static constexpr const char* kLibrary = "libnvidia-ml.so.1";
  // Opens the library. nullopt: there is none of this name, it has no driver, or functions are
  // missing.
  static std::optional<Nvml> Open(const char* library = kLibrary);
  Nvml(Nvml&& other) noexcept;
  Nvml& operator=(Nvml&&) = delete;
  ~Nvml();

  // The PCI bus id, "00000000:65:00.0", of the index-th GPU in the library's own order.
  std::optional<std::string> PciId(int index) const;
  // The id of the device that CUDA calls cuda:N when CUDA_VISIBLE_DEVICES is `visible` (nullopt:
  // not set): a GPU's, or a MIG instance's ("MIG-…"). The order is CUDA's with
  // CUDA_DEVICE_ORDER=PCI_BUS_ID.
  std::optional<std::string> IdOfCudaDevice(int cuda_index,
                                            std::optional<std::string_view> visible) const;
  // The facts of the GPU with this id. It takes an id, as CUDA may number GPUs in another order.
  std::optional<GpuFacts> Facts(const std::string& id) const;
  // The GPU's memory; takes milliseconds. Parts that the library refuses or answers with nonsense
  // are nullopt.
  GpuMemory Memory(const std::string& id) const;

 private:
  struct Functions;
  explicit Nvml(void* library, const Functions& functions);
  void* Find(const std::string& id) const;
  std::string UuidOf(void* device) const;  // "": unknown
  void* library_ = nullptr;
  std::unique_ptr<Functions> functions_;
};

// The facts of the device that CUDA calls cuda:N in this process's environment; takes milliseconds.
// nullopt when there is no driver, no such GPU, or the library answers with nonsense.
std::optional<GpuFacts> ReadGpu(int cuda_index, const char* library = Nvml::kLibrary);

}  // namespace az
