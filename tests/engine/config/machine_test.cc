#include "engine/config/machine.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/strings.h"

namespace az {
namespace {

namespace fs = std::filesystem;

// A made-up / with the files that ReadMachine looks at.
class FakeRoot : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ =
        fs::path(::testing::TempDir()) / StrCat("machine_", reinterpret_cast<std::uintptr_t>(this));
    fs::remove_all(root_);
    Write("proc/meminfo",
          "MemTotal:       16000000 kB\nMemAvailable:    8388608 kB\nBuffers: 5 kB\n");
  }
  void TearDown() override { fs::remove_all(root_); }
  void Write(const std::string& path, std::string_view text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  fs::path root_;
};

TEST_F(FakeRoot, ReadsAvailableMemory) {
  EXPECT_EQ(ReadMachine(root_, -1).memory_available, GiB(8));
  EXPECT_GE(ReadMachine(root_, -1).cores, 1);
}

TEST_F(FakeRoot, WithoutACgroupThereIsNoQuota) {
  EXPECT_FALSE(CpuQuota(root_).has_value());
  Write("proc/self/cgroup", "0::/\nnonsense\n1:cpu\n");
  Write("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_FALSE(CpuQuota(root_).has_value());
}

TEST_F(FakeRoot, TheTightestQuotaUpTheTreeCounts) {
  Write("proc/self/cgroup", "0::/a/b\n");
  Write("sys/fs/cgroup/a/b/cpu.max", "400000 100000\n");
  EXPECT_EQ(CpuQuota(root_), 4.0);
  Write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  EXPECT_EQ(CpuQuota(root_), 1.5);
}

TEST_F(FakeRoot, ReadsVersionOneQuotas) {
  Write("proc/self/cgroup", "3:cpu,cpuacct:/box\n2:memory:/box\n");
  Write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
  Write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "-1\n");
  EXPECT_FALSE(CpuQuota(root_).has_value());
  Write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "50000\n");
  EXPECT_EQ(CpuQuota(root_), 0.5);
  EXPECT_EQ(ReadMachine(root_, -1).cores, 1);  // half a core is one worker's worth
}

EngineOptions On(std::string device) {
  EngineOptions options;
  options.device = std::move(device);
  return options;
}

TEST(ChooseDevice, AutoWithoutAGpuIsTheCpu) {
  Machine machine;
  machine.cores = 3;
  machine.fast_bf16 = true;
  const Result<DeviceFacts> device = ChooseDevice(On("auto"), machine, GiB(4));
  ASSERT_TRUE(device);
  EXPECT_EQ(device->kind, DeviceKind::kCpu);
  EXPECT_EQ(device->cores, 3);
  EXPECT_EQ(device->ram, GiB(4));
  EXPECT_TRUE(device->fast_bf16);
}

TEST(ChooseDevice, ANamedGpuThatIsNotThereIsAnError) {
  for (const char* name : {"cuda", "cuda:0", "cuda:3"}) {
    const Result<DeviceFacts> device = ChooseDevice(On(name), Machine(), GiB(4));
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code, Errc::kUnavailable);
    EXPECT_NE(device.error().message.find("set engine.device: cpu"), std::string::npos);
  }
}

TEST(ChooseDevice, AGpuIsUsedWhenTheBuildCan) {
  Machine machine;
  machine.gpu = GpuFacts{
      .name = "NVIDIA GeForce RTX 4070", .total = GiB(12), .free = GiB(11), .compute_major = 8};
  const Result<DeviceFacts> device = ChooseDevice(On("auto"), machine, GiB(4));
  ASSERT_TRUE(device);
  EXPECT_EQ(device->kind, BuiltWithCuda() ? DeviceKind::kCuda : DeviceKind::kCpu);
  EXPECT_EQ(ChooseDevice(On("cpu"), machine, GiB(4))->kind, DeviceKind::kCpu);
}

TEST(ChooseDevice, KnowsWhichGpuIsMeant) {
  EXPECT_EQ(GpuIndexOf(On("cpu")), -1);
  EXPECT_EQ(GpuIndexOf(On("auto")), 0);
  EXPECT_EQ(GpuIndexOf(On("cuda")), 0);
  EXPECT_EQ(GpuIndexOf(On("cuda:2")), 2);
}

TEST(SimulatedCard, TakesSizesAndNames) {
  for (const char* text : {"12GiB", "12GiB:rtx4070", "rtx4070-12GB"}) {
    const Result<DeviceFacts> card = SimulatedCard(text, Machine(), GiB(8));
    ASSERT_TRUE(card) << text;
    EXPECT_TRUE(card->simulated);
    EXPECT_EQ(card->kind, DeviceKind::kCuda);
    EXPECT_EQ(card->vram, GiB(12) - MiB(256)) << text;
  }
  EXPECT_FALSE(SimulatedCard("t4-16GB", Machine(), GiB(8))->fast_bf16);
  for (const char* text : {"rtx4071", "", "12", "-1GiB"}) {
    const Result<DeviceFacts> card = SimulatedCard(text, Machine(), GiB(8));
    ASSERT_FALSE(card) << text;
    EXPECT_EQ(card.error().code, Errc::kInvalid);
  }
}

}  // namespace
}  // namespace az
