#include "engine/run/yardstick_curve.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/strings.h"

namespace az {
namespace {

YardstickSettings Settings(int sims) {
  return {.sims = sims, .measured = {.positions = 20, .games = 1, .seed = 7}, .search = ""};
}

MetricsLine Point(const YardstickSubject& subject, const YardstickSettings& settings) {
  return YardstickPoint(subject, {.elapsed_s = 2.5, .evaluations = 40}, settings, {}).value();
}

class YardstickCurveTest : public testing::Test {
 protected:
  void SetUp() override { TearDown(); }
  void TearDown() override { std::filesystem::remove(path_); }
  const std::string path_ = testing::TempDir() + StrCat("curve_", ::getpid(), ".jsonl");
};

TEST_F(YardstickCurveTest, KnowsWhatAnEarlierStartLookedAt) {
  const YardstickSubject fifth = {5, "iter_000005"};
  {
    auto curve = YardstickCurve::Open(path_);
    ASSERT_TRUE(curve) << curve.error().message;
    EXPECT_FALSE(curve->Holds(fifth, Settings(64)));
    ASSERT_TRUE(curve->Append(fifth, Settings(64), Point(fifth, Settings(64))));
    EXPECT_TRUE(curve->Holds(fifth, Settings(64)));
  }
  std::ofstream(path_, std::ios::app) << R"({"iteration": 6, "openi)";  // torn by a kill
  const auto curve = YardstickCurve::Open(path_);
  ASSERT_TRUE(curve);
  EXPECT_TRUE(curve->Holds(fifth, Settings(64)));
  EXPECT_FALSE(curve->Holds({6, "iter_000006"}, Settings(64)));
  EXPECT_FALSE(curve->Holds({5, "iter_000004"}, Settings(64))) << "another network";
}

// What was measured otherwise is another curve's point.
TEST_F(YardstickCurveTest, LooksOfOtherSettingsAreNotDone) {
  const YardstickSubject fifth = {5, "iter_000005"};
  {
    auto curve = YardstickCurve::Open(path_);
    ASSERT_TRUE(curve);
    ASSERT_TRUE(curve->Append(fifth, Settings(64), Point(fifth, Settings(64))));
  }
  // Of a build whose lines did not say how.
  std::ofstream(path_, std::ios::app) << R"({"iteration":6,"network":"iter_000006","sims":64})"
                                      << "\n";
  const auto curve = YardstickCurve::Open(path_);
  ASSERT_TRUE(curve);
  EXPECT_TRUE(curve->Holds(fifth, Settings(64)));
  EXPECT_FALSE(curve->Holds(fifth, Settings(16)));
  YardstickSettings other = Settings(64);
  other.measured.positions = 21;
  EXPECT_FALSE(curve->Holds(fifth, other));
  other = Settings(64);
  other.measured.games = 2;
  EXPECT_FALSE(curve->Holds(fifth, other));
  other = Settings(64);
  other.measured.seed = 8;
  EXPECT_FALSE(curve->Holds(fifth, other));
  other = Settings(64);
  other.search = "c_puct=2";
  EXPECT_FALSE(curve->Holds(fifth, other));
  EXPECT_FALSE(curve->Holds({6, "iter_000006"}, Settings(64)));
}

TEST_F(YardstickCurveTest, APointSaysHowItWasMeasured) {
  YardstickSettings settings = Settings(16);
  settings.search = "root=gumbel";
  const std::string text = Point({3, "iter_000003"}, settings).text();
  EXPECT_TRUE(text.starts_with(R"({"kind":"yardstick","iteration":3,"elapsed_s":2.5,)"
                               R"("evaluations":40,"network":"iter_000003",)"
                               R"("settings":{"sims":16,"positions":20,"games":1,"seed":7,)"
                               R"("search":"root=gumbel"},"openings":0,)"))
      << text;
}

}  // namespace
}  // namespace az
