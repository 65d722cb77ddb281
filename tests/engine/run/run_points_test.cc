#include "engine/run/run_points.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/strings.h"

namespace az {
namespace {

class RunPointsTest : public testing::Test {
 protected:
  void SetUp() override { run_ = testing::TempDir() + StrCat("points_", ::getpid()); }
  void TearDown() override { std::filesystem::remove_all(run_); }
  std::filesystem::path run_;
};

TEST_F(RunPointsTest, SumsEvaluationsAndCountsALineThatComesTwiceOnce) {
  for (const char* name : {"iter_000003", "iter_000000", "iter_000002", "iter_000009", "tmp"}) {
    std::filesystem::create_directories(run_ / "checkpoints" / name);
  }
  std::ofstream(run_ / "metrics.jsonl")
      << R"({"kind":"iteration","iteration":0,"elapsed_s":2.5,"evaluations":100})"
      << "\n"
      << R"({"kind":"memory","iteration":1,"evaluations":7})"
      << "\n"
      << R"({"kind":"iteration","iteration":1,"elapsed_s":4,"evaluations":50})"
      << "\n"
      << R"({"kind":"iteration","iteration":1,"elapsed_s":5,"evaluations":1})"
      << "\n"
      << R"({"kind":"iterat)"
      << "\n"
      << R"({"kind":"iteration","iteration":2,"elapsed_s":6,"evaluations":10})"
      << "\n";
  const auto points = RunPoints(run_);
  ASSERT_TRUE(points) << points.error().message;
  ASSERT_EQ(points->size(), 3u) << "iteration 9 is not in the metrics";
  EXPECT_EQ((*points)[0].checkpoint, "iter_000000");
  EXPECT_EQ((*points)[0].cost.evaluations, 0u);
  EXPECT_EQ((*points)[1].iteration, 2u);
  EXPECT_EQ((*points)[1].cost.elapsed_s, 4.0);
  EXPECT_EQ((*points)[1].cost.evaluations, 150u);
  EXPECT_EQ((*points)[2].cost.evaluations, 160u);
}

TEST_F(RunPointsTest, SaysWhenThereIsNoRun) {
  const auto points = RunPoints(run_);
  ASSERT_FALSE(points);
  EXPECT_EQ(points.error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace az
