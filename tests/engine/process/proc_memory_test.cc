#include "engine/process/proc_memory.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstring>

namespace az {
namespace {

TEST(ProcMemory, ReadsTheLinesItNeeds) {
  const auto memory = ParseProcStatus(
      "Name:\tRssAnon: 1 kB\nVmRSS:\t  100 kB\nRssAnon:\t   60 kB\nRssFile:\t  30 kB\n"
      "RssShmem:\t  10 kB\n");
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_EQ(memory->anonymous, KiB(60));
  EXPECT_EQ(memory->file, KiB(30));
  EXPECT_EQ(memory->shared, KiB(10));
  const auto pss =
      ParseSmapsRollup("5-7 ---p 00 0 [rollup]\nRss: 9 kB\nPss:   7 kB\nPss_Anon: 1 kB\n");
  ASSERT_TRUE(pss);
  EXPECT_EQ(*pss, KiB(7));
}

TEST(ProcMemory, NamesAMissingLine) {
  const auto memory = ParseProcStatus("RssAnon:\t 60 kB\nRssFile:\t x kB\n");
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, Errc::kCorrupt);
  EXPECT_NE(memory.error().message.find("RssFile"), std::string::npos);
  EXPECT_FALSE(ParseSmapsRollup(""));
}

TEST(ProcMemory, CpuTimeIsNotMisledByAProgramsName) {
  const auto time = ParseProcStat("12 (a b) R 9) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0", 100);
  ASSERT_TRUE(time) << time.error().message;
  EXPECT_EQ(*time, std::chrono::seconds(3));
  EXPECT_FALSE(ParseProcStat("12 (a) S 1 2 3 4 5 6 7 8 9 10 250", 100));
  EXPECT_FALSE(ParseProcStat("", 100));
}

TEST(ProcMemory, SeesWhatThisProcessTouches) {
  constexpr std::size_t kSize = 32 << 20;
  const auto before = ReadProcMemory(::getpid());
  ASSERT_TRUE(before) << before.error().message;
  void* memory = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, kSize);
  const auto after = ReadProcMemory(::getpid());
  ASSERT_TRUE(after);
  EXPECT_GE(after->anonymous - before->anonymous, MiB(30));
  const pid_t self = ::getpid();
  const TreeMemory sum = SumMemory(std::span(&self, 1));
  EXPECT_EQ(sum.processes, 1);
  EXPECT_GE(sum.proportional, MiB(30));
  ::munmap(memory, kSize);
}

TEST(ProcMemory, SeesTheTimeThisProcessWorks) {
  const auto before = ReadCpuTime(::getpid());
  ASSERT_TRUE(before) << before.error().message;
  timespec begin{};
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  do {
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  } while (now.tv_sec - begin.tv_sec < 1 && (now.tv_nsec - begin.tv_nsec) < 50'000'000);
  const auto after = ReadCpuTime(::getpid());
  ASSERT_TRUE(after);
  EXPECT_GE(*after - *before, std::chrono::milliseconds(30));  // ticks are 10 ms
}

TEST(ProcMemory, TheEndedAreNotFound) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  const auto zombie = ReadProcMemory(pid);  // still in the table
  ASSERT_FALSE(zombie);
  EXPECT_EQ(zombie.error().code, Errc::kNotFound);
  ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
  const auto gone = ReadProcMemory(pid);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, Errc::kNotFound);
  EXPECT_EQ(SumMemory(std::span(&pid, 1)).processes, 0);
}

}  // namespace
}  // namespace az
