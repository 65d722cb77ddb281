#include "engine/data/journal_repairs.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "tests/engine/data/records.h"

namespace az {
namespace {

TEST(JournalRepairs, AreNoneWithoutAFileAndKeptInOrder) {
  const TemporaryFolder folder;
  EXPECT_TRUE(ReadRepairs(folder / "").value().empty());
  const std::vector<JournalPoint> repairs = {{{"lane_000.journal", 1234}, {"lane_001.journal", 96}},
                                             {{"lane_000.journal", 5'000'000'000}}};
  ASSERT_TRUE(WriteRepairs(folder / "", repairs).has_value());
  EXPECT_EQ(ReadFile(folder / "repairs").value(),
            "lane_000.journal=1234 lane_001.journal=96\nlane_000.journal=5000000000\n");
  EXPECT_EQ(ReadRepairs(folder / "").value(), repairs);
  EXPECT_EQ(BytesAt(repairs[1], folder / "lane_000.journal"), 5'000'000'000);
  EXPECT_EQ(BytesAt(repairs[1], folder / "lane_001.journal"), 0) << "it came later";
}

TEST(JournalRepairs, DamageIsNamed) {
  const TemporaryFolder folder;
  for (const char* const line :
       {"", "lane_000.journal", "lane_000.journal=", "lane_000.journal=-1", "=5",
        "lane_000.journal=5 lane_000.journal=6", "lane_000.journal=5  lane_001.journal=6"}) {
    ASSERT_TRUE(WriteFileAtomic(folder / "repairs", StrCat("lane_000.journal=5\n", line, "\n"))
                    .has_value());
    const auto repairs = ReadRepairs(folder / "");
    ASSERT_FALSE(repairs.has_value()) << line;
    EXPECT_EQ(repairs.error().code, Errc::kCorrupt);
    EXPECT_NE(repairs.error().message.find("line 2"), std::string::npos) << repairs.error().message;
  }
}

TEST(JournalRepairs, EndWhereAJournalWasCutSince) {
  const std::vector<JournalPoint> repairs = {{{"a", 100}, {"b", 300}}, {{"a", 200}, {"c", 50}}};
  const JournalPoint now = {{"a", 150}, {"b", 400}};
  EXPECT_EQ(NoFurtherThan(repairs, now),
            (std::vector<JournalPoint>{{{"a", 100}, {"b", 300}}, {{"a", 150}, {"c", 0}}}));
}

}  // namespace
}  // namespace az
