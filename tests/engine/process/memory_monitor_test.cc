#include "engine/process/memory_monitor.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "engine/process/memory_history.h"

namespace az {
namespace {

TimePoint At(int seconds) { return TimePoint{} + std::chrono::seconds(seconds); }

// A child that touches so much memory of its own, says so, and waits for its end.
pid_t Eater(std::size_t bytes) {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    void* memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(memory, 1, bytes);
    [[maybe_unused]] const ssize_t said = ::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char word = 0;
  EXPECT_EQ(::read(ready[0], &word, 1), 1);
  ::close(ready[0]);
  ::close(ready[1]);
  return pid;
}

void End(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

TEST(MemoryMonitor, CountsEachProcessAndTheSegmentOnce) {
  const pid_t device = Eater(48 << 20);
  const pid_t worker = Eater(16 << 20);
  const RunProcesses processes{.supervisor = ::getpid(),
                               .devices = {device},
                               .workers = {{0, worker}, {1, 1 << 30}},  // the second has ended
                               .segment = MiB(7)};
  const MemoryMonitor monitor(-1);
  const MemoryUse use = monitor.Look(processes);
  EXPECT_GE(use.device, MiB(48));
  EXPECT_LT(use.device, MiB(64));
  ASSERT_EQ(use.workers.size(), 2u);
  EXPECT_GE(use.workers[0].bytes, MiB(16));
  EXPECT_EQ(use.workers[1].bytes, Bytes());
  EXPECT_GT(use.supervisor, Bytes());
  EXPECT_EQ(use.Ram(), use.supervisor + use.device + use.workers[0].bytes + MiB(7));
  EXPECT_GE(ProportionalMemory(processes), MiB(64));
  ASSERT_TRUE(use.host_free);
  EXPECT_GT(*use.host_free, Bytes());
  EXPECT_FALSE(monitor.sees_gpu());
  EXPECT_FALSE(use.gpu.used);
  EXPECT_EQ(use.layers.reserved_bytes, -1);
  End(device);
  End(worker);
  EXPECT_EQ(monitor.Look(processes).device, Bytes());
}

TEST(MemoryMonitor, SeesTheCardAndACoTenantGrow) {
  ::setenv("AZ_STUB_NVML", "growing", 1);
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  const MemoryMonitor monitor(0, AZ_STUB_NVML_PATH);
  ASSERT_TRUE(monitor.sees_gpu());
  const RunProcesses processes{.supervisor = ::getpid(), .devices = {4711}};
  const MemoryUse first = monitor.Look(processes);
  const MemoryUse second = monitor.Look(processes);
  EXPECT_EQ(*second.gpu.used - *first.gpu.used, MiB(100));
  // The process is not in the driver's list: what came since the start counts as ours, and says so.
  EXPECT_EQ(second.gpu_share.source, GpuShare::Source::kDelta);
  EXPECT_EQ(second.gpu_share.bytes, MiB(200));
}

TEST(MemoryMonitor, LooksAtTheGpuThatTheDeviceProcessSees) {
  ::setenv("AZ_STUB_NVML", "two", 1);
  ::setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  EXPECT_TRUE(MemoryMonitor(0, AZ_STUB_NVML_PATH).sees_gpu());
  EXPECT_FALSE(MemoryMonitor(1, AZ_STUB_NVML_PATH).sees_gpu());
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_FALSE(MemoryMonitor(0, AZ_STUB_NVML_PATH).sees_gpu());
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST(MemoryMonitor, ADriverThatDoesNotTellIsUnknown) {
  ::setenv("AZ_STUB_NVML", "not_available", 1);
  const MemoryMonitor monitor(0, AZ_STUB_NVML_PATH);
  const MemoryUse use = monitor.Look({.supervisor = ::getpid()});
  EXPECT_FALSE(use.gpu.used);
  EXPECT_FALSE(use.gpu_share.bytes);
  EXPECT_FALSE(MemoryMonitor(0, "libaz-no-such-library.so.1").sees_gpu());
}

TEST(MemoryPeaks, KeepTheLargestOfEachPart) {
  MemoryPeaks peaks;
  peaks.Add({.supervisor = MiB(1), .device = MiB(100), .workers = {{0, MiB(10)}}});
  peaks.Add({.supervisor = MiB(2), .device = MiB(50), .workers = {{0, MiB(30)}, {1, MiB(30)}}});
  EXPECT_EQ(peaks.ram, MiB(112));
  EXPECT_EQ(peaks.device, MiB(100));
  EXPECT_EQ(peaks.workers, MiB(60));
  EXPECT_EQ(peaks.samples, 2);
  EXPECT_FALSE(peaks.gpu);
  MemoryUse with_gpu;
  with_gpu.gpu.used = MiB(5);
  peaks.Add(with_gpu);
  peaks.Add({});
  EXPECT_EQ(peaks.gpu, MiB(5));
}

TEST(MemoryHistory, KeepsTheNewestAndLosesNoPeak) {
  MemoryHistory history(100);
  for (int i = 0; i < 250; ++i) history.Add({.at = At(i), .ram = MiB(i == 201 ? 999 : 1)});
  EXPECT_EQ(history.size(), 100u);
  const std::vector<MemorySample> all = history.Since(TimePoint{}, 1000);
  ASSERT_EQ(all.size(), 100u);
  EXPECT_EQ(all.front().at, At(150));
  EXPECT_EQ(all.back().at, At(249));
  const std::vector<MemorySample> few = history.Since(At(200), 7);
  ASSERT_EQ(few.size(), 7u);
  EXPECT_EQ(few.front().at, At(200));
  EXPECT_EQ(few.front().ram, MiB(999));
  EXPECT_TRUE(history.Since(At(500), 7).empty());
}

}  // namespace
}  // namespace az
