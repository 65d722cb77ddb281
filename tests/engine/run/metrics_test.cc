#include "engine/run/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/strings.h"

namespace az {
namespace {

class MetricsFileTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + StrCat("metrics_", ::getpid(), ".jsonl");
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_;
};

TEST(MetricsLine, IsAJsonObjectInTheOrderGiven) {
  MetricsLine line;
  line.Add("iteration", std::int64_t{3}).Add("loss", 0.5).Add("phase", "self \"play\"");
  ASSERT_TRUE(line.Merge(R"({"lr":1e-3,"steps":7})"));
  EXPECT_EQ(line.text(),
            R"({"iteration":3,"loss":0.5,"phase":"self \"play\"","lr":0.001,"steps":7})");
}

TEST(MetricsLine, WritesNumbersThatJsonHasNotAsNull) {
  MetricsLine line;
  line.Add("loss", std::nan(""));
  EXPECT_EQ(line.text(), R"({"loss":null})");
}

TEST(MetricsLine, RefusesToMergeWhatIsNoObject) {
  MetricsLine line;
  EXPECT_FALSE(line.Merge("[1]"));
  EXPECT_FALSE(line.Merge("{\"a\":"));
  EXPECT_EQ(line.text(), "{}");
}

TEST_F(MetricsFileTest, ATornLastLineStaysALineOfItsOwn) {
  ASSERT_TRUE(WriteFileAtomic(path_, "{\"a\":1}\n{\"b\":"));
  Result<MetricsFile> file = MetricsFile::Open(path_);
  ASSERT_TRUE(file) << file.error().message;
  MetricsLine line;
  line.Add("c", std::int64_t{2});
  ASSERT_TRUE(file->Append(line));
  EXPECT_EQ(ReadFile(path_).value(), "{\"a\":1}\n{\"b\":\n{\"c\":2}\n");
}

}  // namespace
}  // namespace az
