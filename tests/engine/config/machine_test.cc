#include "engine/config/machine.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "engine/config/cards.h"

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

TEST_F(FakeRoot, NamesProcessesWhereTheirPidsAreTheDrivers) {
  Write("proc/812/comm", "python3\n");
  Write("proc/77/comm", "a\x1b[1m\xff name\n");
  std::vector<CoTenant> processes = {{.pid = 812}, {.pid = 77}, {.pid = 5}};
  NameProcesses(root_, processes);
  EXPECT_EQ(processes[0].name, "");  // no link: nobody knows whose pids they are
  fs::create_directories(root_ / "proc/self/ns");
  fs::create_symlink("pid:[4026532831]", root_ / "proc/self/ns/pid");  // a container's
  NameProcesses(root_, processes);
  EXPECT_EQ(processes[0].name, "");
  fs::remove(root_ / "proc/self/ns/pid");
  fs::create_symlink("pid:[4026531836]", root_ / "proc/self/ns/pid");
  NameProcesses(root_, processes);
  EXPECT_EQ(processes[0].name, "python3");
  EXPECT_EQ(processes[1].name, "a?[1m? name");
  EXPECT_EQ(processes[2].name, "");  // ended meanwhile
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

GpuFacts Rtx4070() {
  return {.name = "NVIDIA GeForce RTX 4070",
          .total = GiB(12),
          .free = GiB(11),
          .compute_major = 8,
          .compute_minor = 9,
          .cuda_driver = 13000,
          .co_tenants = {{{.pid = 812, .bytes = GiB(1)}}}};
}

TEST(ChooseDevice, AGpuIsUsedWhenTheBuildCan) {
  Machine machine;
  machine.gpu = Rtx4070();
  const Result<DeviceFacts> device = ChooseDevice(On("auto"), machine, GiB(4), GpuPart::kBuilt);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->kind, DeviceKind::kCuda);
  EXPECT_TRUE(device->co_tenants);
  EXPECT_EQ(device->gpu_fault, "");
  for (const auto& [name, part] :
       {std::pair("auto", GpuPart::kLeftOut), std::pair("cpu", GpuPart::kBuilt)}) {
    const Result<DeviceFacts> other = ChooseDevice(On(name), machine, GiB(4), part);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->kind, DeviceKind::kCpu);
    EXPECT_EQ(other->gpu_fault, "");
  }
}

TEST(ChooseDevice, AGpuThatCudaCannotUseIsLeftAloneOrRefusedWithTheReason) {
  struct Case {
    int driver;
    int major;
    int minor;
    bool is_split;
    std::vector<std::string> says;  // none: it is used
  };
  const std::vector<Case> cases = {
      {12020, 8, 9, false, {"CUDA 12.2", "CUDA 13.0", "driver 580"}},
      {12090, 8, 9, false, {"CUDA 12.9"}},
      {13010, 8, 9, false, {}},
      {0, 8, 9, false, {}},  // the driver does not tell
      {13000, 7, 5, false, {}},
      {13000, 12, 0, false, {}},
      {13000, 7, 0, false, {"RTX 4070", "compute capability 7.0", "needs 7.5"}},
      {13000, 6, 1, false, {"6.1"}},
      {13000, 9, 0, true, {"MIG is enabled", "CUDA_VISIBLE_DEVICES"}},
  };
  for (const Case& c : cases) {
    Machine machine;
    machine.gpu = Rtx4070();
    machine.gpu->cuda_driver = c.driver;
    machine.gpu->compute_major = c.major;
    machine.gpu->compute_minor = c.minor;
    machine.gpu->is_split = c.is_split;
    const Result<DeviceFacts> device = ChooseDevice(On("auto"), machine, GiB(4), GpuPart::kBuilt);
    const Result<DeviceFacts> named = ChooseDevice(On("cuda:0"), machine, GiB(4), GpuPart::kBuilt);
    ASSERT_TRUE(device);
    EXPECT_EQ(device->kind, c.says.empty() ? DeviceKind::kCuda : DeviceKind::kCpu);
    EXPECT_EQ(device->gpu_fault.empty(), c.says.empty());
    ASSERT_EQ(named.has_value(), c.says.empty());
    for (const std::string& part : c.says) {
      EXPECT_NE(device->gpu_fault.find(part), std::string::npos) << device->gpu_fault;
      EXPECT_NE(named.error().message.find(part), std::string::npos) << named.error().message;
      EXPECT_EQ(named.error().code, Errc::kUnavailable);
    }
    EXPECT_EQ(ChooseDevice(On("cpu"), machine, GiB(4), GpuPart::kBuilt)->gpu_fault, "");
  }
}

TEST(ChooseDevice, KnowsWhichGpuIsMeant) {
  EXPECT_EQ(GpuIndexOf(On("cpu")), -1);
  EXPECT_EQ(GpuIndexOf(On("auto")), 0);
  EXPECT_EQ(GpuIndexOf(On("cuda")), 0);
  EXPECT_EQ(GpuIndexOf(On("cuda:2")), 2);
}

TEST(SimulatedCard, TakesSizesAndNames) {
  for (const char* text : {"12GiB", "12GiB:rtx4070"}) {
    const Result<DeviceFacts> card = SimulatedCard(text, Machine(), GiB(8));
    ASSERT_TRUE(card) << text;
    EXPECT_TRUE(card->simulated);
    EXPECT_EQ(card->kind, DeviceKind::kCuda);
    EXPECT_EQ(card->vram, GiB(12) - MiB(256)) << text;
  }
  EXPECT_EQ(SimulatedCard("12GiB", Machine(), GiB(8))->assumed_tflops, 0);
  EXPECT_EQ(SimulatedCard("12GiB:rtx4070", Machine(), GiB(8))->assumed_tflops, 117);
  EXPECT_EQ(SimulatedCard("rtx4070-12GB", Machine(), GiB(8))->vram, MiB(12282 - 256));
  EXPECT_EQ(SimulatedCard("rtx4070", Machine(), GiB(8))->name, "rtx4070-12GB");
  EXPECT_FALSE(SimulatedCard("t4-16GB", Machine(), GiB(8))->fast_bf16);
}

TEST(SimulatedCard, RefusesWhatItDoesNotKnowAndListsWhatItKnows) {
  for (const char* text : {"rtx4071", "", "12", "-1GiB", "0GiB", "12GiB:rtx4071", ":rtx4070",
                           "-1GiB:rtx4070", "rtx4070-12GB:12GiB"}) {
    const Result<DeviceFacts> card = SimulatedCard(text, Machine(), GiB(8));
    ASSERT_FALSE(card) << text;
    EXPECT_EQ(card.error().code, Errc::kInvalid);
    EXPECT_NE(card.error().message.find("rtx4070-12GB"), std::string::npos) << text;
  }
}

TEST(KnownCards, AreFoundByNameAndByTheirDriversName) {
  const std::string names = KnownCardNames();
  for (std::string_view name : Split(names, ',')) {
    if (name.starts_with(' ')) name.remove_prefix(1);
    ASSERT_NE(FindCard(name), nullptr) << name;
    const KnownCard& card = *FindCard(name);
    EXPECT_EQ(card.name, name);
    EXPECT_GT(card.total, GiB(3));
    EXPECT_GT(card.tflops, 1);
    // The number in its name is within 10 % of what the driver reports.
    std::int64_t gb = 0;
    const auto dash = card.name.find('-');
    ASSERT_TRUE(ParseInt(card.name.substr(dash + 1, card.name.size() - dash - 3), gb));
    EXPECT_GT(card.total, GiB(gb) * 90 / 100) << card.name;
    EXPECT_LE(card.total, GiB(gb) * 102 / 100) << card.name;
  }
  EXPECT_EQ(CardOfDriverName("NVIDIA GeForce RTX 4070")->name, "rtx4070-12GB");
  EXPECT_EQ(CardOfDriverName("NVIDIA A100-SXM4-80GB")->tflops, 312);
  EXPECT_EQ(CardOfDriverName("NVIDIA L40S")->name, "l40s-48GB");
  EXPECT_EQ(CardOfDriverName("Matrox"), nullptr);
  EXPECT_EQ(FindCard("v100-16GB"), nullptr);  // CUDA 13 cannot use it
}

}  // namespace
}  // namespace az
