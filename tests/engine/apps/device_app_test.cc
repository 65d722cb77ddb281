#include "engine/apps/device_app.h"

#include <gtest/gtest.h>

namespace az {
namespace {

// The fleet takes a rung for a device process that ended without memory and may be started again.
TEST(DeviceApp, AStartWithoutMemoryIsWorthAnother) {
  EXPECT_EQ(ExitCodeOfStart({Errc::kNoMemory, "open device cuda:0: out of memory"}),
            ExitCode::kTryAgain);
  EXPECT_EQ(ExitCodeOfStart({Errc::kUnavailable, "count the GPUs: no driver"}),
            ExitCode::kEnvironment);
  EXPECT_EQ(ExitCodeOfStart({Errc::kInvalid, "open device 'gpu'"}), ExitCode::kUsage);
}

}  // namespace
}  // namespace az
