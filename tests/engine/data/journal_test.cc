#include "engine/data/journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "base/crc32c.h"
#include "base/files.h"
#include "tests/engine/data/records.h"

namespace az {
namespace {

using Path = std::filesystem::path;

void WriteBytes(const Path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

struct ReadBack {
  std::vector<JournalRecord> records;
  JournalProgress progress;
};
ReadBack ReadAll(const Path& path) {
  ReadBack back;
  JournalReader reader(path, TestIdentity());
  auto progress =
      reader.ReadNew([&](JournalRecord&& record) { back.records.push_back(std::move(record)); });
  EXPECT_TRUE(progress.has_value());
  if (progress) back.progress = *progress;
  return back;
}

// The bytes of a journal with SomeRecords(), and where each record ends (the header first).
struct Sample {
  std::string bytes;
  std::vector<std::size_t> ends;
};
Sample MakeSample(const Path& path) {
  Sample sample;
  auto writer = JournalWriter::Open(path, TestIdentity());
  EXPECT_TRUE(writer.has_value()) << writer.error().message;
  sample.ends.push_back(kJournalHeaderBytes);
  for (const JournalRecord& record : SomeRecords()) {
    EXPECT_TRUE(writer->Append(record).has_value());
    sample.ends.push_back(static_cast<std::size_t>(writer->size_bytes()));
  }
  EXPECT_TRUE(writer->Sync().has_value());
  sample.bytes = ReadFile(path).value();
  return sample;
}

// How many records of the sample end at or before `size`.
std::size_t WholeRecords(const Sample& sample, std::size_t size) {
  std::size_t whole = 0;
  while (whole + 1 < sample.ends.size() && sample.ends[whole + 1] <= size) ++whole;
  return whole;
}

TEST(Journal, WhatIsWrittenIsReadBack) {
  TemporaryFolder folder;
  const Sample sample = MakeSample(folder / "lane");
  const ReadBack back = ReadAll(folder / "lane");
  EXPECT_EQ(back.records, SomeRecords());
  EXPECT_EQ(back.progress.end, JournalEnd::kClean);
  EXPECT_EQ(back.progress.valid_bytes, static_cast<std::int64_t>(sample.bytes.size()));
}

TEST(Journal, ReaderFollowsAGrowingFile) {
  TemporaryFolder folder;
  const Path path = folder / "lane";
  JournalReader reader(path, TestIdentity());
  std::vector<JournalRecord> seen;
  const auto sink = [&](JournalRecord&& record) { seen.push_back(std::move(record)); };
  EXPECT_EQ(reader.ReadNew(sink).value().valid_bytes, 0) << "a file that does not exist yet";
  auto writer = JournalWriter::Open(path, TestIdentity());
  ASSERT_TRUE(writer.has_value());
  for (const JournalRecord& record : SomeRecords()) {
    ASSERT_TRUE(writer->Append(record).has_value());
    const auto progress = reader.ReadNew(sink);
    ASSERT_TRUE(progress.has_value());
    EXPECT_EQ(progress->records, 1);
    EXPECT_EQ(progress->valid_bytes, writer->size_bytes());
    EXPECT_EQ(reader.ReadNew(sink).value().records, 0);
  }
  EXPECT_EQ(seen, SomeRecords());
}

TEST(Journal, ReaderStopsAtTheLimit) {
  TemporaryFolder folder;
  const Sample sample = MakeSample(folder / "lane");
  JournalReader reader(folder / "lane", TestIdentity());
  const auto ignore = [](JournalRecord&&) {};
  const auto limit = static_cast<std::int64_t>(sample.ends[2]);
  const auto first = reader.ReadNew(ignore, limit).value();
  EXPECT_EQ(first.records, 2);
  EXPECT_EQ(first.end, JournalEnd::kClean);
  const auto inside = reader.ReadNew(ignore, static_cast<std::int64_t>(sample.ends[3]) + 1).value();
  EXPECT_EQ(inside.records, 1);
  EXPECT_EQ(inside.end, JournalEnd::kTorn) << "a limit inside a record";
  EXPECT_EQ(reader.ReadNew(ignore).value().records, 3);
}

TEST(Journal, EveryCutKeepsAllWholeRecords) {
  TemporaryFolder folder;
  const Sample sample = MakeSample(folder / "whole");
  const auto records = SomeRecords();
  const Path path = folder / "cut";
  for (std::size_t size = 0; size < sample.bytes.size(); ++size) {
    SCOPED_TRACE(size);
    std::filesystem::remove(path);
    WriteBytes(path, std::string_view(sample.bytes).substr(0, size));
    const std::size_t whole = WholeRecords(sample, size);
    const ReadBack back = ReadAll(path);
    ASSERT_EQ(back.records.size(), whole);
    const bool at_boundary =
        size == 0 || (size >= kJournalHeaderBytes && size == sample.ends[whole]);
    EXPECT_EQ(back.progress.end, at_boundary ? JournalEnd::kClean : JournalEnd::kTorn);
    // The next writer cuts the torn part and goes on.
    auto writer = JournalWriter::Open(path, TestIdentity(), back.progress.valid_bytes);
    ASSERT_TRUE(writer.has_value()) << writer.error().message;
    EXPECT_EQ(writer->size_bytes(), static_cast<std::int64_t>(sample.ends[whole]));
    EXPECT_TRUE(writer->recovery().saved_as.empty());
    ASSERT_TRUE(writer->Append(records.back()).has_value());
    const ReadBack again = ReadAll(path);
    ASSERT_EQ(again.records.size(), whole + 1);
    EXPECT_TRUE(std::equal(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(whole),
                           again.records.begin()));
    EXPECT_EQ(again.records.back(), records.back());
  }
}

TEST(Journal, NoFlippedByteYieldsAWrongRecord) {
  TemporaryFolder folder;
  const Sample sample = MakeSample(folder / "whole");
  const auto records = SomeRecords();
  for (std::size_t at = kJournalHeaderBytes; at < sample.bytes.size(); ++at) {
    SCOPED_TRACE(at);
    std::string bytes = sample.bytes;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x5A);
    WriteBytes(folder / "flipped", bytes);
    const ReadBack back = ReadAll(folder / "flipped");
    const std::size_t whole = WholeRecords(sample, at);
    ASSERT_EQ(back.records.size(), whole) << "all records before the flipped one, none after";
    EXPECT_TRUE(std::equal(back.records.begin(), back.records.end(), records.begin()));
    EXPECT_NE(back.progress.end, JournalEnd::kClean);
    EXPECT_NE(back.progress.fault.find("at byte"), std::string::npos) << back.progress.fault;
  }
}

TEST(Journal, DamageIsCutButKept) {
  TemporaryFolder folder;
  const Sample sample = MakeSample(folder / "whole");
  std::string bytes = sample.bytes;
  bytes[sample.ends[2] + 6] ^= 1;  // in the third record; whole ones follow
  WriteBytes(folder / "lane", bytes);
  auto writer = JournalWriter::Open(folder / "lane", TestIdentity());
  ASSERT_TRUE(writer.has_value()) << writer.error().message;
  EXPECT_EQ(writer->size_bytes(), static_cast<std::int64_t>(sample.ends[2]));
  EXPECT_EQ(writer->recovery().cut_bytes, static_cast<std::int64_t>(bytes.size() - sample.ends[2]));
  EXPECT_EQ(ReadFile(writer->recovery().saved_as).value(), bytes.substr(sample.ends[2]));
  EXPECT_EQ(ReadAll(folder / "lane").records.size(), 2u);
}

TEST(Journal, ValidBytesAreNotReadAgain) {
  TemporaryFolder folder;
  const Sample sample = MakeSample(folder / "lane");
  std::string bytes = sample.bytes;
  bytes[sample.ends[0] + 6] ^= 1;  // would be found if the whole file were checked
  WriteBytes(folder / "lane", bytes);
  auto writer = JournalWriter::Open(folder / "lane", TestIdentity(),
                                    static_cast<std::int64_t>(sample.ends[3]));
  ASSERT_TRUE(writer.has_value());
  EXPECT_EQ(writer->size_bytes(), static_cast<std::int64_t>(bytes.size()));
}

// An older build takes newer records for damage and cuts them; the version tells it not to.
TEST(Journal, AWriterPutsItsVersionIntoAnOlderFile) {
  TemporaryFolder folder;
  const Path path = folder / "lane";
  Sample sample = MakeSample(path);
  const std::string newest = sample.bytes.substr(0, kJournalHeaderBytes);
  sample.bytes[8] = 2;
  const std::uint32_t crc =
      Crc32c(std::as_bytes(std::span(sample.bytes).first(kJournalHeaderBytes - sizeof(crc))));
  std::memcpy(sample.bytes.data() + kJournalHeaderBytes - sizeof crc, &crc, sizeof crc);
  WriteBytes(path, sample.bytes);
  JournalReader reader(path, TestIdentity());  // that follows it from before on
  std::vector<JournalRecord> seen;
  const auto sink = [&](JournalRecord&& record) { seen.push_back(std::move(record)); };
  ASSERT_TRUE(reader.ReadNew(sink));
  EXPECT_EQ(ReadFile(path).value(), sample.bytes) << "reading changes nothing";

  auto writer = JournalWriter::Open(path, TestIdentity());
  ASSERT_TRUE(writer.has_value()) << writer.error().message;
  EXPECT_EQ(ReadFile(path).value(), newest + sample.bytes.substr(kJournalHeaderBytes));
  auto records = SomeRecords();
  ASSERT_TRUE(writer->Append(records.back()).has_value());
  ASSERT_TRUE(reader.ReadNew(sink));
  records.push_back(records.back());
  EXPECT_EQ(seen, records);
}

TEST(Journal, ForeignFilesAreRefusedUntouched) {
  TemporaryFolder folder;
  const Sample sample = MakeSample(folder / "lane");
  JournalIdentity other = TestIdentity();
  other.run_id[0] ^= 1;
  const auto writer = JournalWriter::Open(folder / "lane", other);
  ASSERT_FALSE(writer.has_value());
  EXPECT_EQ(writer.error().code, Errc::kIncompatible);
  JournalReader reader(folder / "lane", other);
  const auto read = reader.ReadNew([](JournalRecord&&) { FAIL(); });
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, Errc::kIncompatible);
  EXPECT_EQ(ReadFile(folder / "lane").value(), sample.bytes);

  WriteBytes(folder / "notes", "not a journal");
  const auto notes = JournalWriter::Open(folder / "notes", TestIdentity());
  ASSERT_FALSE(notes.has_value());
  EXPECT_EQ(notes.error().code, Errc::kCorrupt);
  EXPECT_EQ(ReadFile(folder / "notes").value(), "not a journal");
}

TEST(Journal, AShorterFileThanWasReadIsReported) {
  TemporaryFolder folder;
  const Sample sample = MakeSample(folder / "lane");
  JournalReader reader(folder / "lane", TestIdentity());
  ASSERT_TRUE(reader.ReadNew([](JournalRecord&&) {}).has_value());
  std::filesystem::resize_file(folder / "lane", sample.ends[1]);
  const auto again = reader.ReadNew([](JournalRecord&&) {});
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, Errc::kCorrupt);
  const auto writer = JournalWriter::Open(folder / "lane", TestIdentity(), reader.valid_bytes());
  ASSERT_FALSE(writer.has_value());
  EXPECT_EQ(writer.error().code, Errc::kCorrupt);
}

TEST(Journal, OneWriterAtATime) {
  TemporaryFolder folder;
  const auto first = JournalWriter::Open(folder / "lane", TestIdentity());
  ASSERT_TRUE(first.has_value());
  const auto second =
      JournalWriter::Open(folder / "lane", TestIdentity(), 0, Deadline::In(Duration::zero()));
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, Errc::kBusy);
}

TEST(Journal, ASuccessorWaitsForItsPredecessorAndKeepsItsRecords) {
  TemporaryFolder folder;
  std::optional<JournalWriter> first = JournalWriter::Open(folder / "lane", TestIdentity()).value();
  std::atomic<bool> opening = false;
  std::int64_t found_bytes = 0;
  std::jthread successor([&] {
    opening = true;
    const auto second = JournalWriter::Open(folder / "lane", TestIdentity(), 0,
                                            Deadline::In(std::chrono::minutes(1)));
    if (second) found_bytes = second->size_bytes();
  });
  while (!opening) std::this_thread::yield();
  ASSERT_TRUE(first->Append(SomeRecords()[1]).has_value());
  const std::int64_t written_bytes = first->size_bytes();
  first.reset();
  successor.join();
  EXPECT_EQ(found_bytes, written_bytes);
}

TEST(Journal, AFullDiskLeavesNoHalfRecord) {
  TemporaryFolder folder;
  auto writer = JournalWriter::Open(folder / "lane", TestIdentity());
  ASSERT_TRUE(writer.has_value());
  const auto records = SomeRecords();
  ASSERT_TRUE(writer->Append(records[0]).has_value());
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit tight = old;
  tight.rlim_cur = static_cast<rlim_t>(writer->size_bytes()) + 20;  // inside the next record
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const auto full = writer->Append(records[1]);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().code, Errc::kNoSpace);
  EXPECT_EQ(ReadAll(folder / "lane").progress.end, JournalEnd::kClean);
  ASSERT_TRUE(writer->Append(records[1]).has_value()) << "space again";
  EXPECT_EQ(ReadAll(folder / "lane").records.size(), 2u);
}

TEST(Journal, EveryCommittedMoveSurvivesAKill) {
  TemporaryFolder folder;
  const GameId game = GameId::Make(GameKind::kSelfPlay, 0, 0);
  std::int64_t valid_bytes = 0;
  int committed = 0;
  for (int round = 0; round < 10; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {  // appends moves and says so after each, until it is killed
      ::close(ends[0]);
      auto writer = JournalWriter::Open(folder / "lane", TestIdentity(), valid_bytes);
      for (int ply = committed; writer && ply < 60'000; ++ply) {
        if (!writer->Move(game, TestMove(ply, 1, {{Action{1}, 65535}}))) break;
        if (::write(ends[1], "x", 1) != 1) break;
      }
      ::_exit(1);
    }
    ::close(ends[1]);
    int reported = 0;
    char byte = 0;
    while (reported < 20 * (round + 1) && ::read(ends[0], &byte, 1) == 1) ++reported;
    ::kill(child, SIGKILL);
    while (::read(ends[0], &byte, 1) == 1) ++reported;
    ::close(ends[0]);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const ReadBack back = ReadAll(folder / "lane");
    const int found = static_cast<int>(back.records.size());
    // The kill may fall between the last move's commit and the report of it.
    EXPECT_GE(found, committed + reported);
    EXPECT_LE(found, committed + reported + 1);
    EXPECT_EQ(std::get<MovePlayed>(back.records.back()).move.ply, found - 1);
    committed = found;
    valid_bytes = back.progress.valid_bytes;
  }
}

TEST(Journal, ManyRecordsCrossTheReadBuffer) {
  TemporaryFolder folder;
  auto writer = JournalWriter::Open(folder / "lane", TestIdentity());
  ASSERT_TRUE(writer.has_value());
  const GameId game = GameId::Make(GameKind::kSelfPlay, 0, 0);
  const std::vector<PolicyEntry> policy(361, PolicyEntry{Action{1}, 181});
  constexpr int kMoves = 3000;  // about 4.5 MB
  for (int ply = 0; ply < kMoves; ++ply) {
    ASSERT_TRUE(writer->Move(game, TestMove(ply, ply % 361, policy)).has_value());
  }
  const ReadBack back = ReadAll(folder / "lane");
  ASSERT_EQ(back.records.size(), static_cast<std::size_t>(kMoves));
  for (int ply = 0; ply < kMoves; ++ply) {
    ASSERT_EQ(std::get<MovePlayed>(back.records[static_cast<std::size_t>(ply)]).move.ply, ply);
  }
}

}  // namespace
}  // namespace az
