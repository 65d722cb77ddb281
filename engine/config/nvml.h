#pragma once
// A GPU's name and memory from NVIDIA's management library, loaded at run time: needs no CUDA,
// makes no CUDA context. What the library does not know is empty here, never 0. It lives below
// engine/process because the machine's facts are read with it.

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
  pid_t pid = 0;               // in a container that of the host, so not to be compared with ours
  std::optional<Bytes> bytes;  // N/A in containers and under some drivers
};

struct GpuMemory {
  std::optional<Bytes> total;
  std::optional<Bytes> free;
  std::optional<Bytes> used;                         // with what the driver keeps for itself
  std::optional<std::vector<GpuProcess>> processes;  // empty: the driver does not tell
};

// What one process takes of a GPU, and how that is known.
struct GpuShare {
  enum class Source : std::uint8_t {
    kListed,   // the driver lists the process
    kDelta,    // used now, less what was used before it started: co-tenants' changes are in it
    kUnknown,  // neither can be had
  };
  Source source = Source::kUnknown;
  std::optional<Bytes> bytes;
};
GpuShare ShareOf(const GpuMemory& now, pid_t pid, std::optional<Bytes> used_before);

// An open library. Thread-compatible; moves, does not copy.
class Nvml {
 public:
  static constexpr const char* kLibrary = "libnvidia-ml.so.1";
  // Empty: no library of this name, no driver behind it, or functions are missing.
  static std::optional<Nvml> Open(const char* library = kLibrary);
  Nvml(Nvml&& other) noexcept;
  Nvml& operator=(Nvml&&) = delete;
  ~Nvml();

  // "00000000:65:00.0" of the index-th GPU in the library's own order.
  std::optional<std::string> PciId(int index) const;
  // The id of what CUDA calls cuda:N where CUDA_VISIBLE_DEVICES is `visible` (empty: not set): that
  // of a GPU, or of a MIG instance ("MIG-…"). The order is CUDA's under
  // CUDA_DEVICE_ORDER=PCI_BUS_ID.
  std::optional<std::string> IdOfCudaDevice(int cuda_index,
                                            std::optional<std::string_view> visible) const;
  // By id, as CUDA's order of GPUs may be another.
  std::optional<GpuFacts> Facts(const std::string& id) const;
  // Milliseconds. Every part that the library refuses or answers oddly is empty.
  GpuMemory Memory(const std::string& id) const;

 private:
  struct Functions;
  explicit Nvml(void* library, const Functions& functions);
  void* Find(const std::string& id) const;
  std::string UuidOf(void* device) const;  // "": not known
  void* library_ = nullptr;
  std::unique_ptr<Functions> functions_;
};

// Of what CUDA calls cuda:N in this process's environment. Empty when there is no driver, no such
// GPU, or the library answers oddly. Milliseconds.
std::optional<GpuFacts> ReadGpu(int cuda_index, const char* library = Nvml::kLibrary);

}  // namespace az
