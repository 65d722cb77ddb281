#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/files.h"
#include "base/strings.h"
#include "engine/fleet/lane_journals.h"
#include "tests/engine/data/records.h"

namespace az {
namespace {

constexpr int kGames = 20;

// A folder with one lane's journal of finished games of one move each.
class LaneJournalsDamageTest : public ::testing::Test {
 protected:
  LaneJournalsDamageTest() {
    identity_.lane = 0;
    Result<JournalWriter> writer = JournalWriter::Open(path_, identity_);
    AZ_CHECK(writer.has_value());
    for (std::uint32_t index = 0; index < kGames; ++index) {
      const GameId id = GameId::Make(GameKind::kSelfPlay, 0, index);
      AZ_CHECK(writer->StartGame(id).has_value());
      AZ_CHECK(writer->Move(id, {.ply = 0, .action = Action{3}}).has_value());
      AZ_CHECK(writer->EndGame({.id = id, .outcome = Outcome::kFirstWins, .plies = 1}).has_value());
    }
    bytes_ = writer->size_bytes();
  }
  void FlipBitAt(std::int64_t at) const {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const int byte = file.get();
    file.seekp(at);
    file.put(static_cast<char>(byte ^ 4));
  }
  Result<std::unique_ptr<LaneJournals>> Open() const {
    return LaneJournals::Open(folder_ / "", identity_, 2);
  }
  std::size_t Finished(const LaneJournals& journals) const {
    return journals.Finished(GameKind::kSelfPlay, 0).size();
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / LaneJournalName(0);
  JournalIdentity identity_ = TestIdentity();
  std::int64_t bytes_ = 0;
};

TEST_F(LaneJournalsDamageTest, HaveNothingToCutOfAWholeFile) {
  const auto journals = Open();
  ASSERT_TRUE(journals) << journals.error().message;
  EXPECT_EQ(Finished(**journals), kGames);
  const auto cuts = (*journals)->CutDamage();
  ASSERT_TRUE(cuts);
  EXPECT_TRUE(cuts->empty());
  EXPECT_TRUE((*journals)->CheckHolds({{LaneJournalName(0), bytes_}, {LaneJournalName(1), 0}}));
}

TEST_F(LaneJournalsDamageTest, TellWhatStoppedTheReadingAndWhatIsMissing) {
  const std::vector<LaneBytes> trained_on = {{LaneJournalName(0), bytes_}};
  EXPECT_EQ((*Open().value()).Faults(trained_on), std::vector<std::string>{});
  EXPECT_EQ((*Open().value()).Faults({{LaneJournalName(1), 0}}), std::vector<std::string>{});
  const auto told = [&](const std::string& words) {
    const std::vector<std::string> faults = (*Open().value()).Faults(trained_on);
    const std::string all = Join(faults, "\n");
    EXPECT_EQ(faults.size(), 1U) << all;
    EXPECT_NE(all.find(LaneJournalName(0)), std::string::npos) << all;
    EXPECT_NE(all.find(words), std::string::npos) << all;
  };
  const std::string whole = ReadFile(path_).value();
  FlipBitAt(bytes_ / 2);
  told("journal damaged: ");
  ASSERT_TRUE(WriteFileAtomic(path_, ""));
  told(" has 0 bytes, but ");
  std::filesystem::remove(path_);
  told(" has 0 bytes, but ");
  // Behind what was trained on: a record that is being written, as it seems.
  ASSERT_TRUE(WriteFileAtomic(path_, whole + whole.substr(whole.size() - 8, 3)));
  told("it is being written, or its writer died");
  ASSERT_TRUE(WriteFileAtomic(path_, whole.substr(0, 50)));
  EXPECT_EQ((*Open().value()).Faults(trained_on).size(), 2U);  // cut short, and trained on
}

TEST_F(LaneJournalsDamageTest, CutDamageWithACopyAndGoOn) {
  const std::int64_t middle = bytes_ / 2;
  FlipBitAt(middle);
  const auto journals = Open();
  ASSERT_TRUE(journals) << journals.error().message;
  const std::size_t before = Finished(**journals);
  EXPECT_GT(before, 0U);
  EXPECT_LT(before, kGames);
  const std::int64_t valid = (*journals)->valid_bytes(0);
  const auto cuts = (*journals)->CutDamage();
  ASSERT_TRUE(cuts) << cuts.error().message;
  ASSERT_EQ(cuts->size(), 1U);
  const std::string copy = path_.string() + ".cut_at_" + std::to_string(valid);
  EXPECT_NE(cuts->front().find(copy), std::string::npos) << cuts->front();
  EXPECT_EQ(std::filesystem::file_size(path_), static_cast<std::uintmax_t>(valid));
  EXPECT_EQ(std::filesystem::file_size(copy), static_cast<std::uintmax_t>(bytes_ - valid));
  // Once told, the loss stands in nobody's way.
  EXPECT_TRUE((*journals)->CheckHolds({{LaneJournalName(0), bytes_}}));
  Result<JournalWriter> writer = JournalWriter::Open(path_, identity_);
  ASSERT_TRUE(writer) << writer.error().message;
  const GameId id = GameId::Make(GameKind::kSelfPlay, 0, 1000);
  ASSERT_TRUE(writer->Move(id, {.ply = 0, .action = Action{1}}));
  ASSERT_TRUE(writer->EndGame({.id = id, .outcome = Outcome::kDraw, .plies = 1}));
  ASSERT_TRUE((*journals)->Poll());
  EXPECT_EQ(Finished(**journals), before + 1);
}

// A game begun in lane 0 and finished in lane 1 loses its moves from ply 2 on, in lane 0.
TEST_F(LaneJournalsDamageTest, AGameThatWentOnInAnotherLaneIsPlayedAgainWhole) {
  const GameId id = GameId::Make(GameKind::kSelfPlay, 1, 0);
  JournalIdentity other = identity_;
  other.lane = 1;
  const auto write = [&](int lane, int first, std::vector<int> actions, bool to_its_end) {
    auto writer =
        JournalWriter::Open(folder_ / LaneJournalName(lane), lane == 0 ? identity_ : other);
    AZ_CHECK(writer.has_value()) << writer.error().message;
    for (const int action : actions) AZ_CHECK(writer->Move(id, TestMove(first++, action)));
    if (!to_its_end) return writer->size_bytes();
    AZ_CHECK(writer->EndGame(
        {.id = id, .outcome = Outcome::kDraw, .plies = static_cast<std::uint16_t>(first)}));
    return writer->size_bytes();
  };
  const std::int64_t whole = write(0, 0, {0, 1}, false);
  write(0, 2, {2, 3}, false);
  write(1, 4, {4, 5}, true);
  FlipBitAt(whole + 10);
  {
    const auto journals = Open();
    ASSERT_TRUE(journals) << journals.error().message;
    const auto told = (*journals)->CutDamage();
    ASSERT_TRUE(told) << told.error().message;
    ASSERT_EQ(told->size(), 2U);
    EXPECT_NE(told->back().find("in their middle: 1;"), std::string::npos) << told->back();
    EXPECT_EQ((*journals)->log().CommittedActions(id), (std::vector{Action{0}, Action{1}}));
    write(0, 2, {5, 4}, false);  // so plies 2 to 5 would be 5, 4, 4, 5
    ASSERT_TRUE((*journals)->Poll());
    EXPECT_TRUE((*journals)->Finished(GameKind::kSelfPlay, 1).empty()) << "joined to the lost game";
    EXPECT_EQ((*journals)->log().CommittedActions(id).size(), 4U);
  }
  write(1, 4, {6}, true);
  const auto journals = Open();
  ASSERT_TRUE(journals) << journals.error().message;
  const auto told = (*journals)->CutDamage();
  ASSERT_TRUE(told && told->empty()) << "a repair is told of once";
  const auto finished = (*journals)->Finished(GameKind::kSelfPlay, 1);
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0].plies, 5);
  EXPECT_EQ((*journals)->log().counts().conflicting_moves, 0);
}

// What is appended where a journal was cut again was not there at the repair.
TEST_F(LaneJournalsDamageTest, ALaterCutMovesARepairBack) {
  const std::int64_t middle = bytes_ / 2;
  ASSERT_TRUE(
      WriteRepairs(folder_ / "", std::vector<JournalPoint>{{{LaneJournalName(0), bytes_}}}));
  FlipBitAt(middle);
  const auto journals = Open();
  ASSERT_TRUE(journals) << journals.error().message;
  const auto told = (*journals)->CutDamage();
  ASSERT_TRUE(told && told->size() == 1U);
  const auto repairs = ReadRepairs(folder_ / "");
  ASSERT_TRUE(repairs && repairs->size() == 1U);
  EXPECT_EQ(BytesAt(repairs->front(), path_), (*journals)->valid_bytes(0));
}

TEST_F(LaneJournalsDamageTest, RefuseAFileThatLostWhatWasTrainedOn) {
  std::filesystem::resize_file(path_, static_cast<std::uintmax_t>(bytes_ / 2));
  const auto journals = Open();
  ASSERT_TRUE(journals);
  const Result<void> held = (*journals)->CheckHolds({{LaneJournalName(0), bytes_}});
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().code, Errc::kCorrupt);
  EXPECT_NE(held.error().message.find(LaneJournalName(0)), std::string::npos);
  const Result<void> missing = (*journals)->CheckHolds({{LaneJournalName(7), 1}});
  ASSERT_FALSE(missing) << "lane 7 has no file";
}

TEST_F(LaneJournalsDamageTest, DoNotWaitForEverAtDamage) {
  FlipBitAt(bytes_ / 2);
  const auto journals = Open();
  ASSERT_TRUE(journals);
  Result<void> polled;
  for (int i = 0; i < 1000 && polled; ++i) polled = (*journals)->Poll();
  ASSERT_FALSE(polled) << "a game whose end cannot be read would keep the run waiting";
  EXPECT_EQ(polled.error().code, Errc::kCorrupt);
}

}  // namespace
}  // namespace az
