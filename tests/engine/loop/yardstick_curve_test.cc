#include "engine/loop/yardstick_curve.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/strings.h"

namespace az {
namespace {

TEST(YardstickCurve, KnowsWhatAnEarlierStartLookedAt) {
  const std::string path = testing::TempDir() + StrCat("curve_", ::getpid(), ".jsonl");
  std::filesystem::remove(path);
  {
    auto curve = YardstickCurve::Open(path);
    ASSERT_TRUE(curve) << curve.error().message;
    EXPECT_FALSE(curve->Holds(5));
    MetricsLine line;
    line.Add("iteration", std::int64_t{5});
    ASSERT_TRUE(curve->Append(5, line));
    EXPECT_TRUE(curve->Holds(5));
  }
  std::ofstream(path, std::ios::app) << R"({"iteration": 6, "openi)";  // torn by a kill
  const auto curve = YardstickCurve::Open(path);
  ASSERT_TRUE(curve);
  EXPECT_TRUE(curve->Holds(5));
  EXPECT_FALSE(curve->Holds(6));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace az
