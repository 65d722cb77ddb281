#include "engine/net/cpu_device_memory.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(CpuDeviceMemory, TellsTheHeapsLayersEachInsideTheNext) {
  CappedHeap heap;
  const auto memory = MakeCpuDeviceMemory(&heap);
  void* kept = heap.Allocate(8 << 20);
  CappedHeap::Free(heap.Allocate(3 << 20));
  const MemorySnapshot snapshot = memory->Snapshot();
  EXPECT_EQ(snapshot.requested, MiB(8));
  EXPECT_GE(snapshot.allocated, snapshot.requested);
  EXPECT_EQ(snapshot.active, snapshot.allocated);
  EXPECT_EQ(snapshot.cached(), MiB(3) + KiB(4));
  EXPECT_EQ(snapshot.requested_peak, MiB(11));
  EXPECT_EQ(snapshot.cap, std::nullopt);
  ASSERT_TRUE(snapshot.ours && snapshot.used && snapshot.total);
  EXPECT_LE(snapshot.used, snapshot.total);

  EXPECT_EQ(memory->EmptyCache(), MiB(3) + KiB(4));
  memory->ResetPeaks();
  EXPECT_EQ(memory->Snapshot().requested_peak, MiB(8));
  EXPECT_EQ(memory->Snapshot().cached(), Bytes(0));
  CappedHeap::Free(kept);
}

TEST(CpuDeviceMemory, CapsTheHeap) {
  CappedHeap heap;
  const auto memory = MakeCpuDeviceMemory(&heap);
  ASSERT_TRUE(memory->SetCap(MiB(1)));
  EXPECT_EQ(memory->Snapshot().cap, MiB(1));
  EXPECT_EQ(heap.Allocate(2 << 20), nullptr);
  EXPECT_EQ(memory->Snapshot().num_ooms, 1);
  EXPECT_EQ(memory->SetCap(Bytes(-1)).error().code, Errc::kInvalid);
  ASSERT_TRUE(memory->SetCap(std::nullopt));
  EXPECT_EQ(memory->Snapshot().cap, std::nullopt);
}

TEST(CpuDeviceMemory, TellsTheLayersOfARefusalAfterTheyChanged) {
  CappedHeap heap;
  const auto memory = MakeCpuDeviceMemory(&heap);
  EXPECT_FALSE(memory->LastRefusal());
  void* kept = heap.Allocate(8 << 20);
  CappedHeap::Free(heap.Allocate(2 << 20));
  EXPECT_EQ(memory->Snapshot().largest_hole, MiB(2) + KiB(4) - Bytes(64));
  heap.FailAt(1);
  EXPECT_EQ(heap.Allocate(1 << 20), nullptr);
  CappedHeap::Free(kept);
  const auto refused = memory->LastRefusal();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->requested, MiB(1));
  EXPECT_EQ(refused->layers.requested, MiB(8));
  EXPECT_EQ(refused->layers.cached(), MiB(2) + KiB(4));
  EXPECT_EQ(refused->layers.largest_hole, MiB(2) + KiB(4) - Bytes(64));
  EXPECT_EQ(refused->layers.used, std::nullopt) << "of the system nothing was read";
  EXPECT_FALSE(MakeCpuDeviceMemory(nullptr)->LastRefusal());
}

TEST(CpuDeviceMemory, WithoutAHeapTheAllocatorsLayersAreUnknown) {
  const auto memory = MakeCpuDeviceMemory(nullptr);
  const MemorySnapshot snapshot = memory->Snapshot();
  EXPECT_EQ(snapshot.allocated, std::nullopt);
  EXPECT_EQ(snapshot.cached(), std::nullopt);
  EXPECT_TRUE(snapshot.ours);
  EXPECT_EQ(memory->SetCap(MiB(1)).error().code, Errc::kUnavailable);
}

TEST(CpuDeviceMemory, TheIdentityNamesProcessorAndLibrary) {
  CappedHeap heap;
  const DeviceIdentity identity = MakeCpuDeviceMemory(&heap)->Identity();
  EXPECT_EQ(identity, MakeCpuDeviceMemory(&heap)->Identity());
  EXPECT_FALSE(identity == MakeCpuDeviceMemory(nullptr)->Identity());
  EXPECT_FALSE(identity.device.empty());
  EXPECT_EQ(identity.libraries.rfind("libtorch ", 0), 0u);
  EXPECT_FALSE(identity.simulated);
}

}  // namespace
}  // namespace az
