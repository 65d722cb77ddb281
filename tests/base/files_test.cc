#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "base/strings.h"

namespace az {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / StrCat("files_test_", ::getpid());
    fs::remove_all(folder_);
    ASSERT_TRUE(MakeDirectories(folder_ / "a" / "b"));
  }
  void TearDown() override { fs::remove_all(folder_); }
  int Entries() const {
    return static_cast<int>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(Files, WritesAndReadsBack) {
  const fs::path path = folder_ / "f";
  std::string contents(200'000, 'x');
  contents[77] = '\0';
  ASSERT_TRUE(WriteFileAtomic(path, contents));
  EXPECT_EQ(ReadFile(path).value(), contents);
  ASSERT_TRUE(WriteFileAtomic(path, "new"));
  EXPECT_EQ(ReadFile(path).value(), "new");
  EXPECT_EQ(Entries(), 2) << "no temporary file stays";
}

TEST_F(Files, JoinsParts) {
  const std::string a = "head ";
  const std::string b = "tail";
  const std::array<std::span<const std::byte>, 2> parts = {std::as_bytes(std::span(a)),
                                                           std::as_bytes(std::span(b))};
  ASSERT_TRUE(WriteFileAtomic(folder_ / "f", std::span(parts)));
  EXPECT_EQ(ReadFile(folder_ / "f").value(), "head tail");
}

TEST_F(Files, AMissingFileIsNotFoundAndNamed) {
  const Result<std::string> file = ReadFile(folder_ / "nope");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, Errc::kNotFound);
  EXPECT_NE(file.error().message.find("nope"), std::string::npos);
}

// In a child, since the limit cannot be taken back. The old file stays whole and nothing is left
// beside it.
TEST_F(Files, AFileSizeLimitIsNoSpaceAndLeavesTheOldFile) {
  const fs::path path = folder_ / "f";
  ASSERT_TRUE(WriteFileAtomic(path, "old"));
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Result<void> written = WriteFileAtomic(path, std::string(5000, 'x'));
    const bool right = !written && written.error().code == Errc::kNoSpace &&
                       written.error().message.find("ulimit -f") != std::string::npos;
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(ReadFile(path).value(), "old");
  EXPECT_EQ(Entries(), 2);
}

TEST_F(Files, AFailedRenameLeavesNoTemporaryFile) {
  ASSERT_FALSE(WriteFileAtomic(folder_ / "a", "over a folder that is not empty"));
  EXPECT_EQ(Entries(), 1);
}

TEST_F(Files, ALockIsHeldOnceAndNamesItsHolder) {
  const fs::path path = folder_ / "lock";
  {
    const Result<FileLock> first = FileLock::Acquire(path);
    ASSERT_TRUE(first) << first.error().message;
    const Result<FileLock> second = FileLock::Acquire(path);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::kBusy);
    EXPECT_NE(second.error().message.find(StrCat("held by process ", ::getpid())),
              std::string::npos)
        << second.error().message;
  }
  EXPECT_TRUE(FileLock::Acquire(path)) << "given back";
}

TEST_F(Files, ALockDiesWithItsProcess) {
  const fs::path path = folder_ / "lock";
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<FileLock> lock = FileLock::Acquire(path);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(FileLock::Acquire(path));
}

TEST(SystemError, GivesEachErrnoItsKind) {
  EXPECT_EQ(SystemError("write x", ENOSPC).code, Errc::kNoSpace);
  EXPECT_EQ(SystemError("write x", EDQUOT).code, Errc::kNoSpace);
  EXPECT_EQ(SystemError("open x", EMFILE).code, Errc::kUnavailable);
  EXPECT_EQ(SystemError("open x", ENOENT).code, Errc::kNotFound);
  EXPECT_EQ(SystemError("open x", EACCES).code, Errc::kUnavailable);
  EXPECT_EQ(SystemError("open x", EROFS).code, Errc::kUnavailable);
  EXPECT_EQ(SystemError("read x", EIO).code, Errc::kIo);
  EXPECT_EQ(SystemError("map x", ENOMEM).code, Errc::kNoMemory);
  EXPECT_TRUE(SystemError("write x", ENOSPC).message.starts_with("write x: "));
}

TEST(UniqueFd, ClosesOnce) {
  const int raw = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(raw, 0);
  UniqueFd first(raw);
  UniqueFd second = std::move(first);
  EXPECT_FALSE(first.valid());  // NOLINT: moved-from by design
  EXPECT_EQ(second.get(), raw);
  second.Reset();
  EXPECT_EQ(::fcntl(raw, F_GETFD), -1);
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace az
