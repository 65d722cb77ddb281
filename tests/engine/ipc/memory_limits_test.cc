#include "engine/ipc/memory_limits.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "engine/ipc/segment.h"

namespace az {
namespace {

namespace fs = std::filesystem;

// A folder that looks like /proc and /sys/fs/cgroup.
class FakeSystem {
 public:
  FakeSystem() {
    std::string name = (fs::temp_directory_path() / "az-limits-XXXXXX").string();
    AZ_CHECK(::mkdtemp(name.data()) != nullptr);
    root_ = name;
  }
  ~FakeSystem() { fs::remove_all(root_); }
  void Write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  const fs::path& root() const { return root_; }

 private:
  fs::path root_;
};

TEST(MemoryLimits, NoneWithoutCgroups) {
  EXPECT_EQ(ReadMemoryLimits(FakeSystem().root()).cgroup_left, Bytes(MemoryLimits::kNone));
}

TEST(MemoryLimits, TakesTheTightestGroupOfTheUnifiedHierarchy) {
  const FakeSystem system;
  system.Write("proc/self/cgroup", "0::/a/b\n");
  system.Write("sys/fs/cgroup/a/b/memory.max", "max\n");
  system.Write("sys/fs/cgroup/a/b/memory.current", "100\n");
  system.Write("sys/fs/cgroup/a/memory.max", "1000\n");
  system.Write("sys/fs/cgroup/a/memory.current", "700\n");
  system.Write("sys/fs/cgroup/a/memory.stat", "anon 400\ninactive_file 150\nactive_file 50\n");
  const MemoryLimits limits = ReadMemoryLimits(system.root());
  EXPECT_EQ(limits.cgroup_left, Bytes(500));  // file cache is given back under pressure
  EXPECT_NE(limits.cgroup.find("cgroup/a/memory.max"), std::string::npos);
}

TEST(MemoryLimits, ReadsTheFirstVersionToo) {
  const FakeSystem system;
  system.Write("proc/self/cgroup", "3:cpu,cpuacct:/x\n2:memory:/job\n");
  system.Write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4096\n");
  system.Write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "5000\n");
  EXPECT_EQ(ReadMemoryLimits(system.root()).cgroup_left, Bytes(0));  // over it already
}

TEST(MemoryLimits, MessagesNameBothNumbersAndTheWayOut) {
  MemoryLimits limits;
  EXPECT_TRUE(CheckFits(GiB(1), limits).has_value());
  limits.cgroup_left = MiB(2);
  limits.cgroup = "/sys/fs/cgroup/a/memory.max";
  const auto refused = CheckFits(MiB(3), limits);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::kNoMemory);
  for (const char* part : {"3 MiB", "2 MiB", "/sys/fs/cgroup/a/memory.max", "num_workers"}) {
    EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
  }
}

// What Create says in a process of its own under a resource limit.
Errc CreateUnder(int resource, rlim_t limit) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit small{limit, limit};
    ::setrlimit(static_cast<__rlimit_resource_t>(resource), &small);
    const auto made =
        Segment::Create({.shape = {.lanes = 16, .blocks = 8, .rows = 64, .in_words = 1024}});
    ::_exit(made.has_value() ? 200 : static_cast<int>(made.error().code));
  }
  int status = 0;
  AZ_CHECK(::waitpid(child, &status, 0) == child && WIFEXITED(status)) << status;
  AZ_CHECK(WEXITSTATUS(status) != 200) << "the segment was made";
  return static_cast<Errc>(WEXITSTATUS(status));
}

TEST(MemoryLimits, ASegmentOverTheFileSizeLimitIsRefusedBeforeTheKernelKills) {
  EXPECT_EQ(CreateUnder(RLIMIT_FSIZE, 1 << 20), Errc::kNoSpace);
}

TEST(MemoryLimits, NoDescriptorLeft) {
  EXPECT_EQ(CreateUnder(RLIMIT_NOFILE, 3), Errc::kUnavailable);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they map terabytes
TEST(MemoryLimits, NoAddressSpaceLeft) {
  EXPECT_EQ(CreateUnder(RLIMIT_AS, 48 << 20), Errc::kNoMemory);
}
#endif

}  // namespace
}  // namespace az
