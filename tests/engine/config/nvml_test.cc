#include "engine/config/nvml.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

namespace az {
namespace {

constexpr const char* kPci = "00000000:65:00.0";

std::optional<Nvml> OpenStub(const char* mode) {
  ::setenv("AZ_STUB_NVML", mode, 1);
  return Nvml::Open(AZ_STUB_NVML_PATH);
}

TEST(Nvml, ReadsACardByItsPciId) {
  const auto nvml = OpenStub("plain");
  ASSERT_TRUE(nvml);
  EXPECT_EQ(nvml->PciId(0), kPci);
  EXPECT_FALSE(nvml->PciId(1));
  EXPECT_FALSE(nvml->PciId(-1));
  const auto facts = nvml->Facts(kPci);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->name, "Stub RTX 4070");
  EXPECT_EQ(facts->uuid, "GPU-0f1e2d3c");
  EXPECT_EQ(facts->total, GiB(12));
  EXPECT_EQ(facts->compute_major, 8);
  EXPECT_EQ(facts->compute_minor, 9);
  EXPECT_EQ(facts->cuda_driver, 13000);
  EXPECT_FALSE(facts->is_split);
  EXPECT_FALSE(nvml->Facts("00000000:01:00.0"));
}

TEST(Nvml, UsedHasTheDriversPartInIt) {
  const auto nvml = OpenStub("plain");
  ASSERT_TRUE(nvml);
  const GpuMemory memory = nvml->Memory(kPci);
  EXPECT_EQ(memory.total, GiB(12));
  EXPECT_EQ(memory.used, MiB(1000));
  EXPECT_EQ(memory.free, GiB(12) - MiB(1000));
  ASSERT_TRUE(memory.processes);
  EXPECT_EQ(memory.processes->size(), 2u);
  const GpuShare share = ShareOf(memory, 1001, {});
  EXPECT_EQ(share.source, GpuShare::Source::kListed);
  EXPECT_EQ(share.bytes, MiB(401));
}

TEST(Nvml, NoLibraryAndNoDriverAreNoGpu) {
  EXPECT_FALSE(Nvml::Open("libaz-there-is-no-such-library.so.1"));
  EXPECT_FALSE(OpenStub("no_driver"));
}

TEST(Nvml, WhatIsNotAvailableIsUnknownNotZero) {
  const auto nvml = OpenStub("not_available");
  ASSERT_TRUE(nvml);
  const GpuMemory memory = nvml->Memory(kPci);
  EXPECT_FALSE(memory.total);
  EXPECT_FALSE(memory.free);
  EXPECT_FALSE(memory.used);
  EXPECT_FALSE(memory.processes);
  EXPECT_FALSE(nvml->Facts(kPci));
  const GpuShare share = ShareOf(memory, 1000, MiB(10));
  EXPECT_EQ(share.source, GpuShare::Source::kUnknown);
  EXPECT_FALSE(share.bytes);
}

TEST(Nvml, SizesBeyondAnyCardAreUnknown) {
  const auto nvml = OpenStub("odd");
  ASSERT_TRUE(nvml);
  EXPECT_FALSE(nvml->Memory(kPci).total);
  EXPECT_FALSE(nvml->Facts(kPci));
}

TEST(Nvml, HostPidsWithoutBytesGiveTheDelta) {
  const auto nvml = OpenStub("no_bytes");
  ASSERT_TRUE(nvml);
  const GpuMemory memory = nvml->Memory(kPci);
  ASSERT_TRUE(memory.processes);
  EXPECT_EQ(memory.processes->at(0).pid, 1000);
  EXPECT_FALSE(memory.processes->at(0).bytes);
  const GpuShare share = ShareOf(memory, 7, MiB(600));
  EXPECT_EQ(share.source, GpuShare::Source::kDelta);
  EXPECT_EQ(share.bytes, MiB(400));
  EXPECT_EQ(ShareOf(memory, 1000, MiB(2000)).source, GpuShare::Source::kUnknown);  // others left
}

TEST(Nvml, AsksAgainWithMoreRoom) {
  const auto nvml = OpenStub("many");
  ASSERT_TRUE(nvml);
  const GpuMemory memory = nvml->Memory(kPci);
  ASSERT_TRUE(memory.processes);
  EXPECT_EQ(memory.processes->size(), 40u);
  EXPECT_EQ(ShareOf(memory, 1039, {}).bytes, MiB(439));
}

TEST(Nvml, FactsHaveTheProcessesTheLargestFirst) {
  const auto nvml = OpenStub("plain");
  ASSERT_TRUE(nvml);
  const auto facts = nvml->Facts(kPci);
  ASSERT_TRUE(facts);
  ASSERT_TRUE(facts->co_tenants);
  ASSERT_EQ(facts->co_tenants->size(), 2u);
  EXPECT_EQ(facts->co_tenants->at(0).pid, 1001);
  EXPECT_EQ(facts->co_tenants->at(0).bytes, MiB(401));
  EXPECT_EQ(facts->co_tenants->at(0).name, "");
  EXPECT_EQ(facts->co_tenants->at(1).pid, 1000);
  EXPECT_EQ(facts->co_tenants->at(1).bytes, MiB(400));
}

TEST(Nvml, ProcessesWithoutBytesAreListedAndComeLast) {
  for (const auto& [mode, last] : {std::pair("no_bytes", 1001), std::pair("some_bytes", 1000)}) {
    const auto nvml = OpenStub(mode);
    ASSERT_TRUE(nvml);
    const auto facts = nvml->Facts(kPci);
    ASSERT_TRUE(facts && facts->co_tenants);
    ASSERT_EQ(facts->co_tenants->size(), 2u);
    EXPECT_EQ(facts->co_tenants->back().pid, last) << mode;
    EXPECT_FALSE(facts->co_tenants->back().bytes) << mode;
  }
}

TEST(Nvml, ADriverThatListsNoProcessesIsNotAnEmptyCard) {
  const auto nvml = OpenStub("no_list");
  ASSERT_TRUE(nvml);
  const auto facts = nvml->Facts(kPci);
  ASSERT_TRUE(facts);
  EXPECT_FALSE(facts->co_tenants);
}

TEST(Nvml, TellsTheDriversCuda) {
  EXPECT_EQ(OpenStub("old_driver")->Facts(kPci)->cuda_driver, 12020);
  const auto facts = OpenStub("no_version")->Facts(kPci);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->cuda_driver, 0);
}

TEST(Nvml, FollowsCudasListOfGpus) {
  const auto nvml = OpenStub("two");
  ASSERT_TRUE(nvml);
  constexpr const char* kSecond = "00000000:17:00.0";
  EXPECT_EQ(nvml->IdOfCudaDevice(0, {}), kPci);
  EXPECT_EQ(nvml->IdOfCudaDevice(1, {}), kSecond);
  EXPECT_EQ(nvml->IdOfCudaDevice(0, "1"), kSecond);
  EXPECT_EQ(nvml->IdOfCudaDevice(1, "GPU-2b3c,GPU-0f1e"), kPci);
  EXPECT_EQ(nvml->Facts(kSecond)->uuid, "GPU-2b3c");
  EXPECT_FALSE(nvml->IdOfCudaDevice(1, "1"));
  EXPECT_FALSE(nvml->IdOfCudaDevice(0, ""));
  EXPECT_FALSE(nvml->IdOfCudaDevice(-1, {}));
}

TEST(Nvml, ReadsTheGpuThatTheEnvironmentShows) {
  ::setenv("AZ_STUB_NVML", "two", 1);
  ::setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  const auto second = ReadGpu(0, AZ_STUB_NVML_PATH);
  const auto none = ReadGpu(1, AZ_STUB_NVML_PATH);
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->uuid, "GPU-2b3c");
  EXPECT_FALSE(none);
  EXPECT_EQ(ReadGpu(0, AZ_STUB_NVML_PATH)->uuid, "GPU-0f1e2d3c");
}

// Of a split card CUDA shows an instance: its memory counts, not the card's.
TEST(Nvml, ASplitCardIsToldAndItsInstancesAreRead) {
  const auto nvml = OpenStub("mig");
  ASSERT_TRUE(nvml);
  EXPECT_TRUE(nvml->Facts(*nvml->IdOfCudaDevice(0, {}))->is_split);
  const auto id = nvml->IdOfCudaDevice(0, "MIG-77aa");
  ASSERT_TRUE(id);
  const auto instance = nvml->Facts(*id);
  ASSERT_TRUE(instance);
  EXPECT_FALSE(instance->is_split);
  EXPECT_EQ(instance->total, GiB(4));
  EXPECT_EQ(instance->uuid, "MIG-77aa");
  EXPECT_EQ(instance->compute_major, 8);
  EXPECT_FALSE(nvml->Facts("MIG-none"));
}

TEST(Nvml, SeesACoTenantGrow) {
  const auto nvml = OpenStub("growing");
  ASSERT_TRUE(nvml);
  const GpuMemory first = nvml->Memory(kPci);
  const GpuMemory second = nvml->Memory(kPci);
  EXPECT_EQ(*second.used - *first.used, MiB(100));
  EXPECT_EQ(*first.free - *second.free, MiB(100));
}

}  // namespace
}  // namespace az
