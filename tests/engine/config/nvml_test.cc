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
