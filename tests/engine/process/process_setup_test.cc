#include "engine/process/process_setup.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "base/exit_codes.h"

namespace az {
namespace {

// Each in a child of its own: they change the process.
TEST(HardenProcessDeathTest, AFileNeverTakesTheNumberOfAClosedStandardDescriptor) {
  EXPECT_EXIT(
      {
        ::close(STDIN_FILENO);
        ::close(STDOUT_FILENO);
        const bool hardened = HardenProcess().has_value();
        const int fd = ::open("/dev/null", O_RDONLY);
        ::_exit(hardened && fd > STDERR_FILENO ? 7 : 1);
      },
      ::testing::ExitedWithCode(7), "");
}

TEST(HardenProcessDeathTest, WritingToAClosedPipeIsAnError) {
  EXPECT_EXIT(
      {
        int ends[2];
        const bool ready = HardenProcess().has_value() && ::pipe(ends) == 0;
        ::close(ends[0]);
        const bool failed = ::write(ends[1], "x", 1) < 0 && errno == EPIPE;
        ::_exit(ready && failed ? 7 : 1);
      },
      ::testing::ExitedWithCode(7), "");
}

TEST(ExitWhenOutOfMemoryDeathTest, EndsWithOneLineAndTheEnvironmentsCode) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers replace operator new";
#endif
  EXPECT_EXIT(
      {
        ExitWhenOutOfMemory("az_test");
        rlimit limit{};
        limit.rlim_cur = limit.rlim_max = 1 << 20;
        ::setrlimit(RLIMIT_AS, &limit);
        const std::vector<char> much(std::size_t{1} << 30);
        ::_exit(much[12345] == 0 ? 1 : 2);
      },
      ::testing::ExitedWithCode(static_cast<int>(ExitCode::kEnvironment)),
      "^az_test: out of memory .*ulimit -v");
}

}  // namespace
}  // namespace az
