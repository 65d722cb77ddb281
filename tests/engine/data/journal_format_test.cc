#include "engine/data/journal_format.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/crc32c.h"
#include "tests/engine/data/records.h"

namespace az {
namespace {

std::string Hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(byte));
    text += digits;
  }
  return text;
}

std::vector<std::byte> Encoded(const JournalRecord& record) {
  std::vector<std::byte> bytes;
  AppendJournalRecord(record, bytes);
  return bytes;
}

TEST(JournalFormat, RecordsRoundTrip) {
  for (const JournalRecord& record : SomeRecords()) {
    const auto bytes = Encoded(record);
    const ParsedRecord parsed = ParseJournalRecord(bytes);
    ASSERT_EQ(parsed.status, ParseStatus::kRecord) << parsed.fault;
    EXPECT_EQ(parsed.bytes, bytes.size());
    EXPECT_EQ(parsed.record, record);
  }
}

// These bytes are on disks: a change of them needs a new kJournalVersion.
TEST(JournalFormat, BytesAreAsDocumented) {
  EXPECT_EQ(Hex(EncodeJournalHeader(TestIdentity())),
            "415a4a524e4c0d0a0500000003000000000102030405060708090a0b0c0d0e0fefcdab8967452301"
            "68657835000000000000000000000000000000000000000000000000000000000000000000000000"
            "000000000000000000000000b918ac60");
  const GameId game = GameId::Make(GameKind::kGate, 0x0A0B0C, 0x01020304);
  EXPECT_EQ(Hex(Encoded(GameStarted{game})), "0800000001040302010c0b0a01d922bea6");
  EXPECT_EQ(Hex(Encoded(MovePlayed{game, TestMove(5, 24, {{Action{3}, 40000}})})),
            "2c00000002040302010c0b0a0107000000000000000500180001000000c80000000000803e000000bf"
            "0000003e0300409c159a0851");
  EXPECT_EQ(Hex(Encoded(GameEnded{game, Outcome::kSecondWins, EndReason::kProven, 25})),
            "0c00000003040302010c0b0a011900ff017f8ca59e");
}

// Version 2 had no KL of the policy; a file may go on in a later one.
TEST(JournalFormat, MovesOfVersion2AreReadWithoutTheirKl) {
  const GameId game = GameId::Make(GameKind::kSelfPlay, 1, 2);
  for (const std::vector<PolicyEntry>& policy :
       {std::vector<PolicyEntry>{}, {{Action{3}, 40000}, {Action{4}, 25535}}}) {
    MovePlayed played{game, TestMove(5, 24, policy)};
    std::vector<std::byte> bytes = Encoded(played);
    bytes.erase(bytes.begin() + 5 + 36, bytes.begin() + 5 + 40);
    bytes[0] = static_cast<std::byte>(std::to_integer<int>(bytes[0]) - 4);
    const std::uint32_t crc = Crc32c(std::span(bytes).first(bytes.size() - 4));
    std::memcpy(bytes.data() + bytes.size() - 4, &crc, sizeof crc);
    const ParsedRecord parsed = ParseJournalRecord(bytes);
    ASSERT_EQ(parsed.status, ParseStatus::kRecord) << parsed.fault;
    played.move.policy_kl_nats = 0;
    EXPECT_EQ(parsed.record, JournalRecord(played));
  }
}

TEST(JournalFormat, ACutGameHasNoOutcomeAndOthersHave) {
  const GameId position = GameId::Make(GameKind::kYardstick, 3, 4);
  auto bytes = Encoded(GameEnded{position, std::nullopt, EndReason::kCut, 1});
  const ParsedRecord parsed = ParseJournalRecord(bytes);
  ASSERT_EQ(parsed.status, ParseStatus::kRecord) << parsed.fault;
  EXPECT_EQ(parsed.record, JournalRecord(GameEnded{position, std::nullopt, EndReason::kCut, 1}));
  EXPECT_FALSE(HasOutcome(EndReason::kFailed));
  EXPECT_TRUE(HasOutcome(EndReason::kGone));
  EXPECT_FALSE(IsForfeit(EndReason::kCut));
  EXPECT_TRUE(IsForfeit(EndReason::kGone));
}

TEST(JournalFormat, EveryCutOfARecordIsTorn) {
  for (const JournalRecord& record : SomeRecords()) {
    const auto bytes = Encoded(record);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_EQ(ParseJournalRecord(std::span(bytes).first(size)).status, ParseStatus::kTorn);
    }
  }
}

TEST(JournalFormat, NoFlippedBitYieldsARecord) {
  for (const JournalRecord& record : SomeRecords()) {
    auto bytes = Encoded(record);
    bytes.resize(bytes.size() + 64);  // so that a longer length does not just look torn
    for (std::size_t bit = 0; bit < (bytes.size() - 64) * 8; ++bit) {
      bytes[bit / 8] ^= std::byte{1} << (bit % 8);
      EXPECT_NE(ParseJournalRecord(bytes).status, ParseStatus::kRecord) << "bit " << bit;
      bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    }
  }
}

TEST(JournalFormat, ZerosAreNoRecord) {
  EXPECT_EQ(ParseJournalRecord(std::vector<std::byte>(4096)).status, ParseStatus::kCorrupt);
}

TEST(JournalFormat, ValidChecksumDoesNotExcuseAWrongPayload) {
  // An end of a failed game that claims an outcome, checksummed as its writer would have.
  std::vector<std::byte> bytes = Encoded(GameEnded{GameId{}, Outcome::kDraw, EndReason::kRules, 3});
  bytes[5 + 11] = std::byte{static_cast<unsigned char>(EndReason::kFailed)};
  const std::uint32_t crc = Crc32c(std::span(bytes).first(bytes.size() - 4));
  std::memcpy(bytes.data() + bytes.size() - 4, &crc, sizeof crc);
  EXPECT_EQ(ParseJournalRecord(bytes).status, ParseStatus::kCorrupt);
}

TEST(JournalFormat, HeaderRoundTrips) {
  const auto found = DecodeJournalHeader(EncodeJournalHeader(TestIdentity()));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, TestIdentity());
}

TEST(JournalFormat, ForeignHeadersAreRefused) {
  const auto check = [](auto change) {
    JournalIdentity other = TestIdentity();
    change(other);
    const auto result = CheckJournalHeader(EncodeJournalHeader(other), TestIdentity());
    EXPECT_FALSE(result.has_value());
    return result.error();
  };
  EXPECT_EQ(check([](auto& id) { id.run_id[15] ^= 1; }).code, Errc::kIncompatible);
  EXPECT_EQ(check([](auto& id) { id.lane = 4; }).code, Errc::kIncompatible);
  EXPECT_EQ(check([](auto& id) { id.game_hash ^= 1; }).code, Errc::kIncompatible);
  JournalIdentity any = TestIdentity();
  any.lane = kAnyLane;
  EXPECT_TRUE(CheckJournalHeader(EncodeJournalHeader(TestIdentity()), any).has_value());
  const Error game = check([](auto& id) { id.entry = "hex7"; });
  EXPECT_EQ(game.code, Errc::kIncompatible);
  EXPECT_NE(game.message.find("hex7"), std::string::npos) << game.message;
  EXPECT_NE(game.message.find("hex5"), std::string::npos) << game.message;
}

TEST(JournalFormat, OtherVersionsAreRefusedBeforeTheirChecksum) {
  auto bytes = EncodeJournalHeader(TestIdentity());
  bytes[8] = std::byte{6};
  const auto result = DecodeJournalHeader(bytes);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Errc::kIncompatible);
  EXPECT_NE(result.error().message.find("version 6"), std::string::npos) << result.error().message;
}

TEST(JournalFormat, NoFlippedBitOfTheHeaderPasses) {
  auto bytes = EncodeJournalHeader(TestIdentity());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(CheckJournalHeader(bytes, TestIdentity()).has_value()) << "bit " << bit;
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
  }
}

}  // namespace
}  // namespace az
