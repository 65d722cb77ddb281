#include "base/exit_codes.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(ExitCodes, FollowTheDocumentedTable) {
  EXPECT_EQ(ExitCodeFor(Errc::kInvalid), ExitCode::kUsage);
  EXPECT_EQ(ExitCodeFor(Errc::kNotFound), ExitCode::kUsage);
  EXPECT_EQ(ExitCodeFor(Errc::kNoSpace), ExitCode::kEnvironment);
  EXPECT_EQ(ExitCodeFor(Errc::kNoMemory), ExitCode::kEnvironment);
  EXPECT_EQ(ExitCodeFor(Errc::kUnavailable), ExitCode::kEnvironment);
  EXPECT_EQ(ExitCodeFor(Errc::kCorrupt), ExitCode::kIncompatible);
  EXPECT_EQ(ExitCodeFor(Errc::kIncompatible), ExitCode::kIncompatible);
  EXPECT_EQ(ExitCodeFor(Errc::kIo), ExitCode::kFailed);
  EXPECT_EQ(static_cast<int>(ExitCode::kFailed), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::kUsage), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::kEnvironment), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::kIncompatible), 4);
}

TEST(Complain, PrintsTheErrorAndReturnsItsCode) {
  testing::internal::CaptureStderr();
  const int code = Complain("az_x", {Errc::kUnavailable, "no device"});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "az_x: no device\n");
  EXPECT_EQ(code, 3);
}

}  // namespace
}  // namespace az
