#include "engine/process/kernel_kills.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/strings.h"

namespace az {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

class KernelKillsTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + StrCat("kernel_kills_", ::getpid());
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  // As in /proc and /sys/fs/cgroup.
  void Write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  fs::path root_;
};

TEST_F(KernelKillsTest, NobodyMayTell) { EXPECT_EQ(KernelKillsBelow(root_), std::nullopt); }

TEST_F(KernelKillsTest, TheCountOfTheOwnCgroupIsTheMostPrecise) {
  Write("proc/vmstat", "nr_free_pages 17\noom_kill 5\n");
  EXPECT_EQ(KernelKillsBelow(root_), 5) << "of the machine";
  Write("proc/self/cgroup", "0::/a/b\n");
  EXPECT_EQ(KernelKillsBelow(root_), 5) << "the root's cgroup has no such file";
  Write("sys/fs/cgroup/a/b/memory.events", "low 0\nhigh 7\nmax 9\noom 3\noom_kill 2\n");
  EXPECT_EQ(KernelKillsBelow(root_), 2);
}

TEST_F(KernelKillsTest, ReadsTheFirstVersionToo) {
  Write("proc/self/cgroup", "3:cpu,cpuacct:/x\n2:memory:/job\n");
  Write("sys/fs/cgroup/memory/memory.oom_control", "oom_kill_disable 0\noom_kill 4\n");
  EXPECT_EQ(KernelKillsBelow(root_), 4) << "a container's mount is its group";
  Write("sys/fs/cgroup/memory/job/memory.oom_control", "under_oom 0\noom_kill 1\n");
  EXPECT_EQ(KernelKillsBelow(root_), 1);
}

TEST_F(KernelKillsTest, ADeathSoonAfterTheCountRoseIsTheKernelsDoing) {
  std::optional<std::int64_t> count = 7;  // kills of before do not matter
  KernelKills kills([&] { return count; });
  const TimePoint start{seconds(100)};
  EXPECT_FALSE(kills.WasRecent(start));
  count = 8;
  EXPECT_TRUE(kills.WasRecent(start + seconds(1)));
  EXPECT_TRUE(kills.WasRecent(start + seconds(11))) << "several may die of one shortage";
  EXPECT_FALSE(kills.WasRecent(start + seconds(12)));
  count = std::nullopt;
  EXPECT_FALSE(kills.WasRecent(start + seconds(13)));
}

// Else a kill of long ago, of which nobody here died, would explain the next death.
TEST_F(KernelKillsTest, WhenTheCountRoseIsKnownByLooking) {
  std::int64_t count = 0;
  int reads = 0;
  KernelKills kills([&] {
    ++reads;
    return std::optional(count);
  });
  count = 1;
  TimePoint now{seconds(100)};
  for (int i = 0; i < 100; ++i, now += std::chrono::milliseconds(200)) kills.Look(now);
  EXPECT_FALSE(kills.WasRecent(now));
  EXPECT_LT(reads, 25) << "once a second";
}

}  // namespace
}  // namespace az
