#pragma once
// The capped CPU heap as a DeviceMemory, for tests that need its counts alone.

#include "engine/net/capped_cpu_allocator.h"
#include "scheduler/device_memory.h"

namespace az {

class HeapMemory final : public DeviceMemory {
 public:
  MemorySnapshot Snapshot() const override {
    const HeapStats stats = heap_.stats();
    MemorySnapshot snapshot;
    snapshot.requested = stats.requested;
    snapshot.allocated = stats.allocated;
    snapshot.reserved = stats.reserved;
    snapshot.num_ooms = stats.ooms;
    return snapshot;
  }
  Result<void> SetCap(std::optional<Bytes> cap) override {
    heap_.SetCap(cap);
    return {};
  }
  Bytes EmptyCache() override { return heap_.EmptyCache(); }
  void ResetPeaks() override { heap_.ResetPeaks(); }
  void Synchronize() override {}
  void ReleaseWorkspaces() override {}
  DeviceIdentity Identity() const override { return {}; }
  bool simulated() const override { return false; }

  CappedHeap& heap() { return heap_; }

 private:
  CappedHeap& heap_ = InstallCappedCpuAllocator();
};

}  // namespace az
