#include "engine/data/journal_format.h"

#include <bit>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "base/crc32c.h"
#include "base/strings.h"

namespace az {
namespace {

static_assert(std::endian::native == std::endian::little, "journals are little-endian");
static_assert(sizeof(PolicyEntry) == 4 && std::is_trivially_copyable_v<PolicyEntry> &&
              offsetof(PolicyEntry, action) == 0 && offsetof(PolicyEntry, weight) == 2);

constexpr char kMagic[8] = {'A', 'Z', 'J', 'R', 'N', 'L', '\r', '\n'};
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kLaneAt = 12;
constexpr std::size_t kRunIdAt = 16;
constexpr std::size_t kGameHashAt = 32;
constexpr std::size_t kEntryAt = 40;
constexpr std::size_t kHeaderCrcAt = kJournalHeaderBytes - 4;
static_assert(kEntryAt + kJournalEntryBytes <= kHeaderCrcAt);

constexpr std::size_t kFrontBytes = 5;  // length and type
constexpr std::size_t kStartBytes = 8;
constexpr std::size_t kEndBytes = 12;
constexpr std::size_t kMoveBytesOfVersion2 = 36;  // without the policy's KL
static_assert(kJournalMoveBytes == kMoveBytesOfVersion2 + sizeof(float));
constexpr std::int8_t kNoOutcome = 2;

enum class RecordType : std::uint8_t { kStart = 1, kMove = 2, kEnd = 3 };

template <class T>
void Put(std::vector<std::byte>& out, T value) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  const std::size_t at = out.size();
  out.resize(at + sizeof value);
  std::memcpy(out.data() + at, &value, sizeof value);
}

template <class T>
T Get(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

void PutPayload(const GameStarted& record, std::vector<std::byte>& out) {
  Put(out, RecordType::kStart);
  Put(out, record.id.packed);
}

void PutPayload(const MovePlayed& record, std::vector<std::byte>& out) {
  const MoveRecord& move = record.move;
  AZ_CHECK_LE(move.policy.size(), 65'535u) << "policy entries of one move";
  Put(out, RecordType::kMove);
  Put(out, record.id.packed);
  Put(out, move.weights_version);
  Put(out, move.ply);
  Put(out, move.action);
  Put(out, static_cast<std::uint16_t>(move.policy.size()));
  Put(out, move.flags);
  Put(out, std::uint8_t{0});
  Put(out, move.visits);
  Put(out, move.root_value);
  Put(out, move.network_value);
  Put(out, move.policy_kl_nats);
  const auto policy = std::as_bytes(std::span(move.policy));
  out.insert(out.end(), policy.begin(), policy.end());
}

void PutPayload(const GameEnded& record, std::vector<std::byte>& out) {
  AZ_CHECK_EQ(record.outcome.has_value(), HasOutcome(record.reason));
  Put(out, RecordType::kEnd);
  Put(out, record.id.packed);
  Put(out, record.plies);
  Put(out, record.outcome ? static_cast<std::int8_t>(*record.outcome) : kNoOutcome);
  Put(out, record.reason);
}

bool KnownGame(GameId id) { return id.kind() <= GameKind::kYardstick; }

// Each returns a fault, or nullptr and the record.
const char* GetMove(std::span<const std::byte> payload, JournalRecord& record) {
  if (payload.size() < kMoveBytesOfVersion2) return "a move of too few bytes";
  MovePlayed played{GameId{Get<std::uint64_t>(payload, 0)}, {}};
  MoveRecord& move = played.move;
  move.weights_version = Get<std::uint64_t>(payload, 8);
  move.ply = Get<std::uint16_t>(payload, 16);
  move.action = Get<Action>(payload, 18);
  const std::size_t entries = Get<std::uint16_t>(payload, 20);
  move.flags = Get<std::uint8_t>(payload, 22);
  move.visits = Get<std::uint32_t>(payload, 24);
  move.root_value = Get<float>(payload, 28);
  move.network_value = Get<float>(payload, 32);
  // The number of entries tells the versions apart, also in a file that both have written.
  const std::size_t policy_bytes = entries * sizeof(PolicyEntry);
  const bool is_old = payload.size() == kMoveBytesOfVersion2 + policy_bytes;
  if (!is_old && payload.size() != kJournalMoveBytes + policy_bytes) {
    return "a move whose length does not fit its policy";
  }
  if (!is_old) move.policy_kl_nats = Get<float>(payload, kMoveBytesOfVersion2);
  move.policy.resize(entries);
  if (entries > 0) {
    std::memcpy(move.policy.data(), payload.data() + payload.size() - policy_bytes, policy_bytes);
  }
  if (!KnownGame(played.id)) return "a move of an unknown kind of game";
  record = std::move(played);
  return nullptr;
}

const char* GetEnd(std::span<const std::byte> payload, JournalRecord& record) {
  if (payload.size() != kEndBytes) return "an end of a game of the wrong length";
  GameEnded ended{GameId{Get<std::uint64_t>(payload, 0)}, std::nullopt, EndReason::kRules,
                  Get<std::uint16_t>(payload, 8)};
  const auto outcome = Get<std::int8_t>(payload, 10);
  const auto reason = Get<std::uint8_t>(payload, 11);
  if (outcome < -1 || outcome > kNoOutcome) return "an unknown outcome";
  if (reason > static_cast<std::uint8_t>(kLastEndReason)) return "an unknown end of a game";
  ended.reason = static_cast<EndReason>(reason);
  if ((outcome == kNoOutcome) == HasOutcome(ended.reason)) {
    return "an outcome that does not fit the end of the game";
  }
  if (outcome != kNoOutcome) ended.outcome = static_cast<Outcome>(outcome);
  if (!KnownGame(ended.id)) return "an end of an unknown kind of game";
  record = ended;
  return nullptr;
}

const char* GetStart(std::span<const std::byte> payload, JournalRecord& record) {
  if (payload.size() != kStartBytes) return "a start of a game of the wrong length";
  const GameId id{Get<std::uint64_t>(payload, 0)};
  if (!KnownGame(id)) return "a start of an unknown kind of game";
  record = GameStarted{id};
  return nullptr;
}

std::string Hex(std::span<const std::uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

}  // namespace

std::array<std::byte, kJournalHeaderBytes> EncodeJournalHeader(const JournalIdentity& identity) {
  AZ_CHECK_LE(identity.entry.size(), kJournalEntryBytes) << identity.entry;
  std::array<std::byte, kJournalHeaderBytes> bytes{};
  const auto put = [&](std::size_t at, const void* from, std::size_t count) {
    if (count > 0) std::memcpy(bytes.data() + at, from, count);
  };
  put(0, kMagic, sizeof kMagic);
  put(kVersionAt, &kJournalVersion, sizeof kJournalVersion);
  put(kLaneAt, &identity.lane, sizeof identity.lane);
  put(kRunIdAt, identity.run_id.data(), identity.run_id.size());
  put(kGameHashAt, &identity.game_hash, sizeof identity.game_hash);
  put(kEntryAt, identity.entry.data(), identity.entry.size());
  const std::uint32_t crc = Crc32c(std::span(bytes).first(kHeaderCrcAt));
  put(kHeaderCrcAt, &crc, sizeof crc);
  return bytes;
}

Result<JournalIdentity> DecodeJournalHeader(std::span<const std::byte> bytes) {
  AZ_CHECK_GE(bytes.size(), kJournalHeaderBytes);
  if (std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) {
    return Error{Errc::kCorrupt, "this is not a journal (its first 8 bytes are others)"};
  }
  const auto version = Get<std::uint32_t>(bytes, kVersionAt);
  // A later version may have a longer header, so the version comes before the checksum.
  if (version > kJournalVersion || version == 0) {
    return Error{Errc::kIncompatible,
                 StrCat("format version ", version, ", this build reads up to version ",
                        kJournalVersion, " (use the build that wrote it)")};
  }
  if (Crc32c(bytes.first(kHeaderCrcAt)) != Get<std::uint32_t>(bytes, kHeaderCrcAt)) {
    return Error{Errc::kCorrupt, "the header fails its checksum"};
  }
  JournalIdentity found;
  found.lane = Get<std::uint32_t>(bytes, kLaneAt);
  std::memcpy(found.run_id.data(), bytes.data() + kRunIdAt, found.run_id.size());
  found.game_hash = Get<std::uint64_t>(bytes, kGameHashAt);
  const char* entry = reinterpret_cast<const char*>(bytes.data() + kEntryAt);
  found.entry.assign(entry, strnlen(entry, kJournalEntryBytes));
  return found;
}

Result<void> CheckJournalHeader(std::span<const std::byte> bytes, const JournalIdentity& expected) {
  AZ_ASSIGN_OR_RETURN(const JournalIdentity found, DecodeJournalHeader(bytes));
  const auto other = [](std::string_view what, std::string_view theirs, std::string_view ours) {
    return Error{Errc::kIncompatible,
                 StrCat("it is of ", what, " ", theirs, ", this run has ", ours,
                        " (move the file away, or start the run that wrote it)")};
  };
  if (found.entry != expected.entry) return other("game", found.entry, expected.entry);
  if (found.game_hash != expected.game_hash) {
    return other("another build of the game, hash", StrCat(found.game_hash),
                 StrCat(expected.game_hash));
  }
  if (found.run_id != expected.run_id) return other("run", Hex(found.run_id), Hex(expected.run_id));
  if (expected.lane == kAnyLane) return {};
  if (found.lane != expected.lane) return other("lane", StrCat(found.lane), StrCat(expected.lane));
  return {};
}

void AppendJournalRecord(const JournalRecord& record, std::vector<std::byte>& out) {
  const std::size_t front = out.size();
  Put(out, std::uint32_t{0});
  std::visit([&](const auto& known) { PutPayload(known, out); }, record);
  const auto length = static_cast<std::uint32_t>(out.size() - front - kFrontBytes);
  std::memcpy(out.data() + front, &length, sizeof length);
  Put(out, Crc32c(std::span(out).subspan(front)));
}

ParsedRecord ParseJournalRecord(std::span<const std::byte> bytes) {
  ParsedRecord parsed;
  const auto stop = [&](ParseStatus status, const char* fault) {
    parsed.status = status;
    parsed.fault = fault;
    return std::move(parsed);
  };
  if (bytes.size() < kFrontBytes) return stop(ParseStatus::kTorn, "it ends inside a record");
  const std::size_t length = Get<std::uint32_t>(bytes, 0);
  const auto type = Get<RecordType>(bytes, 4);
  if (length > kMaxJournalPayload) return stop(ParseStatus::kCorrupt, "an impossible length");
  if (type < RecordType::kStart || type > RecordType::kEnd) {
    return stop(ParseStatus::kCorrupt, "an unknown type of record");
  }
  if (bytes.size() < kJournalFrameBytes + length) {
    return stop(ParseStatus::kTorn, "it ends inside a record");
  }
  if (Crc32c(bytes.first(kFrontBytes + length)) !=
      Get<std::uint32_t>(bytes, kFrontBytes + length)) {
    return stop(ParseStatus::kCorrupt, "a record that fails its checksum");
  }
  const auto payload = bytes.subspan(kFrontBytes, length);
  const char* fault = nullptr;
  switch (type) {
    case RecordType::kStart:
      fault = GetStart(payload, parsed.record);
      break;
    case RecordType::kMove:
      fault = GetMove(payload, parsed.record);
      break;
    case RecordType::kEnd:
      fault = GetEnd(payload, parsed.record);
      break;
  }
  if (fault != nullptr) return stop(ParseStatus::kCorrupt, fault);
  parsed.status = ParseStatus::kRecord;
  parsed.bytes = kJournalFrameBytes + length;
  return parsed;
}

}  // namespace az
