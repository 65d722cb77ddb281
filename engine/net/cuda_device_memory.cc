#include "engine/net/cuda_device_memory.h"

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>
#include <torch/version.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "base/strings.h"
#include "base/thread_annotations.h"
#include "engine/config/nvml.h"
#include "engine/net/torch_guard.h"

namespace az {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);

std::string VersionText(int version) {  // 13000 is 13.0
  return StrCat(version / 1000, ".", version % 1000 / 10);
}

std::string UuidText(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (const char byte : uuid.bytes) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(byte));
    text += digits.data();
  }
  return text;
}

// "00000000:65:00.0", as NVML names it.
std::string PciIdOf(int index) {
  std::array<char, 32> text{};
  if (cudaDeviceGetPCIBusId(text.data(), text.size(), index) != cudaSuccess) return {};
  return text.data();
}

Bytes BytesOf(std::size_t count) { return Bytes(static_cast<std::int64_t>(count)); }

// Bytes of the largest block that the allocator's cache has.
Bytes LargestHole(c10::DeviceIndex index) {
  std::size_t largest = 1;  // from 0 on it would count what the device has free
  allocator::cacheInfo(index, &largest);
  return largest == 1 ? Bytes() : BytesOf(largest);
}

// The allocator's own layers. `total`: of the device.
MemorySnapshot AllocatorLayers(c10::DeviceIndex index, Bytes total) {
  const auto stats = allocator::getDeviceStats(index);
  MemorySnapshot layers;
  layers.requested = Bytes(stats.requested_bytes[kAll].current);
  layers.allocated = Bytes(stats.allocated_bytes[kAll].current);
  layers.active = Bytes(stats.active_bytes[kAll].current);
  layers.reserved = Bytes(stats.reserved_bytes[kAll].current);
  layers.inactive_split = Bytes(stats.inactive_split_bytes[kAll].current);
  layers.largest_hole = LargestHole(index);
  layers.requested_peak = Bytes(stats.requested_bytes[kAll].peak);
  layers.allocated_peak = Bytes(stats.allocated_bytes[kAll].peak);
  layers.reserved_peak = Bytes(stats.reserved_bytes[kAll].peak);
  layers.allocations = stats.allocation[kAll].allocated;
  layers.num_alloc_retries = stats.num_alloc_retries;
  layers.num_ooms = stats.num_ooms;
  if (const double share = allocator::getMemoryFraction(index); share < 1.0) {
    layers.cap = Bytes(static_cast<std::int64_t>(share * static_cast<double>(total.count())));
  }
  layers.total = total;
  return layers;
}

// The newest refusal of one device. Thread-safe.
class RefusalNote {
 public:
  void Put(const MemoryRefusal& refusal) AZ_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    last_ = refusal;
  }
  std::optional<MemoryRefusal> last() const AZ_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return last_;
  }

 private:
  mutable Mutex mutex_;
  std::optional<MemoryRefusal> last_ AZ_GUARDED_BY(mutex_);
};

// LibTorch calls observers where it refuses, before it throws and without its own lock, and never
// lets go of one: so the note is shared with it, and outlives the CudaDeviceMemory.
std::shared_ptr<RefusalNote> NoteRefusals(c10::DeviceIndex index, Bytes total) {
  auto note = std::make_shared<RefusalNote>();
  allocator::attachOutOfMemoryObserver(
      [note, index, total](std::int64_t device, std::size_t asked, std::size_t, std::size_t free) {
        if (device != index) return;
        MemoryRefusal refusal{.requested = BytesOf(asked), .layers = AllocatorLayers(index, total)};
        refusal.layers.used = total - BytesOf(free);
        note->Put(refusal);
      });
  return note;
}

// Thread-safe: LibTorch's calls are, and the rest does not change. On a lost device nearly every
// call throws: of its memory nothing is known then, none is given back, and Synchronize says it.
class CudaDeviceMemory final : public DeviceMemory {
 public:
  CudaDeviceMemory(int index, Mutex& captures)
      : captures_(captures),
        device_(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index)),
        pci_id_(PciIdOf(index)),
        nvml_(Nvml::Open()) {
    const c10::cuda::CUDAGuard guard(device_);
    C10_CUDA_CHECK(cudaGetDeviceProperties(&properties_, index));
    C10_CUDA_CHECK(cudaFree(nullptr));                          // makes the context
    at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);  // and the allocator of each device
    refusals_ = NoteRefusals(device_.index(), Total());
  }

  MemorySnapshot Snapshot() const override {
    const Result<MemorySnapshot> seen = GuardTorch(
        "read the device's memory", [this]() -> Result<MemorySnapshot> { return Look(); });
    return seen ? *seen : MemorySnapshot{};
  }

  std::optional<MemoryRefusal> LastRefusal() const override { return refusals_->last(); }

  std::optional<Bytes> Allocated() const override {
    return Bytes(allocator::getDeviceStats(device_.index()).allocated_bytes[kAll].current);
  }

  Result<void> SetCap(std::optional<Bytes> cap) override {
    if (!cap) {
      allocator::setMemoryFraction(1.0, device_.index());
      return {};
    }
    // The allocator's segments alone: the context comes on top, and the planner has taken it off.
    const double share = static_cast<double>(cap->count()) / static_cast<double>(Total().count());
    if (share <= 0.0 || share >= 1.0) {
      return Error{Errc::kInvalid,
                   StrCat("cap the allocator of ", properties_.name, " at ", FormatBytes(*cap),
                          ": must be above 0 and below its ", FormatBytes(Total()))};
    }
    allocator::setMemoryFraction(share, device_.index());
    return {};
  }

  Bytes EmptyCache() override {
    const auto reserved = [this] {
      return allocator::getDeviceStats(device_.index()).reserved_bytes[kAll].current;
    };
    const Result<Bytes> freed = GuardTorch("give back cached memory", [&]() -> Result<Bytes> {
      const c10::cuda::CUDAGuard guard(device_);
      const std::int64_t before = reserved();
      allocator::emptyCache();
      return Bytes(before - reserved());
    });
    return freed ? *freed : Bytes();
  }
  void ResetPeaks() override { allocator::resetPeakStats(device_.index()); }
  void Synchronize() override {
    const MutexLock lock(captures_);
    const c10::cuda::CUDAGuard guard(device_);
    C10_CUDA_CHECK(cudaDeviceSynchronize());
  }

  DeviceIdentity Identity() const override {
    int driver = 0;
    int runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    return {.device = UuidText(properties_.uuid),
            .name = properties_.name,
            .total = Total(),
            .driver = VersionText(driver),
            .runtime = VersionText(runtime),
            .libraries = StrCat("libtorch ", TORCH_VERSION, ", cudnn ",
                                at::detail::getCUDAHooks().versionRuntimeCuDNN()),
            .allocator = allocator::get()->name(),
            .simulated = false};
  }
  bool simulated() const override { return false; }

 private:
  MemorySnapshot Look() const {
    const c10::cuda::CUDAGuard guard(device_);
    MemorySnapshot snapshot = AllocatorLayers(device_.index(), Total());
    std::size_t free = 0;
    std::size_t total = 0;
    if (cudaMemGetInfo(&free, &total) == cudaSuccess) {
      snapshot.used = Bytes(static_cast<std::int64_t>(total - free));
    }
    if (nvml_ && !pci_id_.empty()) {
      const GpuShare share = ShareOf(nvml_->Memory(pci_id_), getpid(), std::nullopt);
      snapshot.ours = share.bytes;  // empty where the driver shows other pids than ours
    }
    return snapshot;
  }

  Bytes Total() const { return Bytes(static_cast<std::int64_t>(properties_.totalGlobalMem)); }

  Mutex& captures_;
  const c10::Device device_;
  const std::string pci_id_;
  const std::optional<Nvml> nvml_;
  std::shared_ptr<const RefusalNote> refusals_;
  cudaDeviceProp properties_{};
};

}  // namespace

std::unique_ptr<DeviceMemory> MakeCudaDeviceMemory(int index, Mutex& captures) {
  return std::make_unique<CudaDeviceMemory>(index, captures);
}

}  // namespace az
