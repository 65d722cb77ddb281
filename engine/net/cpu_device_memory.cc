#include "engine/net/cpu_device_memory.h"

#include <torch/version.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/strings.h"
#include "engine/process/proc_memory.h"

namespace az {
namespace {

// "MemTotal:  16318412 kB" of /proc/meminfo.
std::optional<Bytes> ReadMeminfo(std::string_view wanted) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::int64_t kib = 0;
  std::string unit;
  while (file >> name >> kib && std::getline(file, unit)) {
    if (name == wanted) return KiB(kib);
  }
  return std::nullopt;
}

std::string ProcessorModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (line.starts_with("model name") && colon != std::string::npos && colon + 2 < line.size()) {
      return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

// Thread-safe.
class CpuDeviceMemory final : public DeviceMemory {
 public:
  explicit CpuDeviceMemory(CappedHeap* heap) : heap_(heap) {}

  MemorySnapshot Snapshot() const override {
    MemorySnapshot snapshot;
    if (heap_ != nullptr) AddHeap(heap_->stats(), snapshot);
    if (const Result<ProcMemory> own = ReadProcMemory(getpid())) snapshot.ours = own->anonymous;
    snapshot.total = ReadMeminfo("MemTotal:");
    if (const auto left = ReadMeminfo("MemAvailable:"); left && snapshot.total) {
      snapshot.used = *snapshot.total - *left;
    }
    return snapshot;
  }

  // Of the heap alone: what the system had left then is not known.
  std::optional<MemoryRefusal> LastRefusal() const override {
    const auto last = heap_ != nullptr ? heap_->last_refusal() : std::nullopt;
    if (!last) return std::nullopt;
    MemoryRefusal refusal{.requested = last->requested, .layers = {}};
    AddHeap(last->stats, refusal.layers);
    return refusal;
  }

  std::optional<Bytes> Allocated() const override {
    if (heap_ == nullptr) return std::nullopt;
    return heap_->stats().allocated;
  }

  Result<void> SetCap(std::optional<Bytes> cap) override {
    if (heap_ == nullptr) {
      return Error{Errc::kUnavailable,
                   "cap the CPU's tensors: the capped allocator is not installed"};
    }
    if (cap && cap->count() < 0) {
      return Error{Errc::kInvalid,
                   StrCat("cap the CPU's tensors at ", cap->count(), " bytes: must be 0 or more")};
    }
    heap_->SetCap(cap);
    return {};
  }

  Bytes EmptyCache() override { return heap_ == nullptr ? Bytes() : heap_->EmptyCache(); }
  void ResetPeaks() override {
    if (heap_ != nullptr) heap_->ResetPeaks();
  }
  void Synchronize() override {}  // work is done when its call returns

  DeviceIdentity Identity() const override {
    const std::string model = ProcessorModel();
    return {.device = model,
            .name = model,
            .total = ReadMeminfo("MemTotal:").value_or(Bytes()),
            .driver = {},
            .runtime = {},
            .libraries = StrCat("libtorch ", TORCH_VERSION),
            .allocator = heap_ == nullptr ? "C library" : "capped heap 1",
            .simulated = false};
  }
  bool simulated() const override { return false; }

 private:
  static void AddHeap(const HeapStats& stats, MemorySnapshot& snapshot) {
    snapshot.requested = stats.requested;
    snapshot.allocated = stats.allocated;
    snapshot.active = stats.allocated;
    snapshot.reserved = stats.reserved;
    snapshot.inactive_split = Bytes();  // every mapping can go back
    snapshot.largest_hole = stats.largest_cached;
    snapshot.requested_peak = stats.requested_peak;
    snapshot.allocated_peak = stats.allocated_peak;
    snapshot.reserved_peak = stats.reserved_peak;
    snapshot.allocations = stats.allocations;
    snapshot.num_alloc_retries = stats.retries;
    snapshot.num_ooms = stats.ooms;
    snapshot.cap = stats.cap;
  }

  CappedHeap* const heap_;
};

}  // namespace

std::unique_ptr<DeviceMemory> MakeCpuDeviceMemory(CappedHeap* heap) {
  return std::make_unique<CpuDeviceMemory>(heap);
}

}  // namespace az
