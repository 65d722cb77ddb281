#include "engine/process/process_launcher.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdlib>

#include "engine/process/child_setup.h"
#include "tests/engine/process/process_test_kit.h"

namespace az {
namespace {

struct LauncherTest : testing::Test {
  // A child with the lane's arguments, in `mode`.
  Result<SpawnedProcess> Spawn(std::string_view mode, int lane = 0) {
    SpawnSpec spec{AZ_TEST_CHILD_PATH, {}, {StrCat("AZ_TEST_CHILD=", mode)}};
    spec.arguments =
        ToArguments({run.path(), "00112233445566778899aabbccddeeff", lane, 0, 1, ::getpid()});
    return launcher.Spawn(spec, {run.segment_fd(), ends.second.get(), run.log_fd(), run.log_fd()});
  }
  static int WaitFor(const SpawnedProcess& child) {
    pollfd entry{child.pidfd.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&entry, 1, 10'000), 1);
    int status = 0;
    EXPECT_EQ(::waitpid(child.pid, &status, 0), child.pid);
    return status;
  }

  TestRun run;
  PosixLauncher launcher;
  std::pair<UniqueFd, UniqueFd> ends = ControlChannel::MakePair().value();
};

TEST_F(LauncherTest, AChildInheritsWhatItNeedsAndNothingElse) {
  UniqueFd stray(::open("/dev/null", O_RDONLY));  // without close-on-exec, as libraries open files
  ASSERT_TRUE(stray.valid());
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
  auto child = Spawn("report");
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(child) << child.error().message;
  EXPECT_EQ(WaitFor(*child), 0);
  const std::string report = ReadFile(run.path() / "report").value();
  // 6 is the child's own signal descriptor, 7 the report.
  EXPECT_NE(report.find("fds 0 1 2 3 4 5 6 7\n"), std::string::npos) << report;
  EXPECT_NE(report.find("cuda ''"), std::string::npos) << report;
  EXPECT_NE(report.find("oom_score_adj 500"), std::string::npos) << report;
  EXPECT_NE(report.find("SigBlk:\t0000000000004000\n"), std::string::npos) << report;  // SIGTERM
  // SIGHUP, SIGINT, SIGPIPE, SIGXFSZ; above them only the C library's own.
  EXPECT_NE(report.find("1001003\nSigCgt"), std::string::npos) << report;
  EXPECT_NE(run.log_text().find("to standard output"), std::string::npos);
  EXPECT_NE(run.log_text().find("to standard error"), std::string::npos);
}

// What the plan calls cuda:N is N in the order of the bus, unless the person has set another.
TEST_F(LauncherTest, TheDeviceProcessCountsGpusInTheOrderOfTheBus) {
  const auto reported = [this] {
    auto child = Spawn("report", kDeviceLane);
    EXPECT_TRUE(child && WaitFor(*child) == 0);
    return ReadFile(run.path() / "report").value();
  };
  ::unsetenv("CUDA_DEVICE_ORDER");
  EXPECT_NE(reported().find("cuda order 'PCI_BUS_ID'"), std::string::npos);
  ::setenv("CUDA_DEVICE_ORDER", "FASTEST_FIRST", 1);
  EXPECT_NE(reported().find("cuda order 'FASTEST_FIRST'"), std::string::npos);
  ::unsetenv("CUDA_DEVICE_ORDER");
}

TEST_F(LauncherTest, SaysWhichProgramIsMissing) {
  const auto child = launcher.Spawn({"/nowhere/az_worker", {}, {}},
                                    {run.segment_fd(), ends.second.get(), 0, run.log_fd()});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, Errc::kUnavailable);
  EXPECT_NE(child.error().message.find("start /nowhere/az_worker"), std::string::npos);
  EXPECT_TRUE(NoChildIsLeft());
}

// From the first descriptor it needs to the last: an error each time, never a process left.
TEST_F(LauncherTest, LeavesNoProcessWhenDescriptorsRunOut) {
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  bool succeeded = false;
  int failures = 0;
  for (rlim_t limit = 11; limit < 40 && !succeeded; ++limit) {
    rlimit low{limit, old.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
    auto child = Spawn("exit:0");
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &old), 0);
    if (child) {
      WaitFor(*child);  // whether the child itself gets by with so few is its affair
      succeeded = true;
    } else {
      ++failures;
      EXPECT_EQ(child.error().code, Errc::kUnavailable) << child.error().message;
      EXPECT_NE(child.error().message.find("ulimit -n"), std::string::npos)
          << child.error().message;
      EXPECT_TRUE(NoChildIsLeft());
    }
  }
  EXPECT_TRUE(succeeded);
  EXPECT_GE(failures, 4);
}

TEST_F(LauncherTest, NamesTheLimitOfProcesses) {
  if (::geteuid() == 0) GTEST_SKIP() << "the limit of processes does not bind root";
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_NPROC, &old), 0);
  rlimit low{1, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NPROC, &low), 0);
  const auto child = Spawn("exit:0");
  ASSERT_EQ(::setrlimit(RLIMIT_NPROC, &old), 0);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, Errc::kUnavailable);
  EXPECT_NE(child.error().message.find("ulimit -u"), std::string::npos) << child.error().message;
}

}  // namespace
}  // namespace az
