#pragma once
// The journal's bytes: header and records to and from memory, no I/O. docs/formats/journal.md draws
// them. Used by journal.h and by tools; everybody else sees records only.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "engine/data/game_record.h"

namespace az {

// As an expected lane: whichever it is.
inline constexpr std::uint32_t kAnyLane = 0xFFFFFFFF;

// Whose journal a file is. All of it must match, or the file is refused.
struct JournalIdentity {
  std::array<std::uint8_t, 16> run_id{};  // of the run directory: the same after a resume
  std::uint64_t game_hash = 0;            // GameInfo::Hash
  std::string entry;  // registry entry, for messages: "hex5"; at most kJournalEntryBytes
  std::uint32_t lane = 0;
  friend bool operator==(const JournalIdentity&, const JournalIdentity&) = default;
};

struct GameStarted {
  GameId id;
};
struct MovePlayed {
  GameId id;
  MoveRecord move;
};
struct GameEnded {
  GameId id;
  std::optional<Outcome> outcome;  // nullopt exactly when !HasOutcome(reason)
  EndReason reason = EndReason::kRules;
  std::uint16_t plies = 0;  // of the whole game
};
using JournalRecord = std::variant<GameStarted, MovePlayed, GameEnded>;

inline constexpr std::uint32_t kJournalVersion = 5;  // +1 whenever a byte changes its meaning
inline constexpr std::size_t kJournalHeaderBytes = 96;
inline constexpr std::size_t kJournalEntryBytes = 48;
inline constexpr std::size_t kJournalFrameBytes = 9;  // length, type, crc: around each payload
inline constexpr std::size_t kJournalMoveBytes = 40;  // a move's payload without its policy
inline constexpr std::size_t kMaxJournalPayload = 40 + 4 * 65'535;

// REQUIRES: identity.entry fits kJournalEntryBytes.
std::array<std::byte, kJournalHeaderBytes> EncodeJournalHeader(const JournalIdentity& identity);

// Checks the header against `expected`. kCorrupt: not a journal, or damaged. kIncompatible: of
// another format version, run, game or lane; the message holds both. REQUIRES: bytes.size() >=
// kJournalHeaderBytes.
Result<void> CheckJournalHeader(std::span<const std::byte> bytes, const JournalIdentity& expected);

// What a header says, whatever run it is of; for tools. Fails as above, for damage and version
// only.
Result<JournalIdentity> DecodeJournalHeader(std::span<const std::byte> bytes);

// Appends the record, framed, to `out`. REQUIRES: a policy of at most 65,535 entries.
void AppendJournalRecord(const JournalRecord& record, std::vector<std::byte>& out);

enum class ParseStatus : std::uint8_t {
  kRecord,   // a whole record; `bytes` of the input were used
  kTorn,     // the input ends inside a record: the rest may still be written, or never will be
  kCorrupt,  // what stands here is no record
};
struct ParsedRecord {
  ParseStatus status = ParseStatus::kTorn;
  std::size_t bytes = 0;
  JournalRecord record;    // kRecord only
  const char* fault = "";  // kTorn and kCorrupt: what is wrong
};

// The record at the start of `bytes`. Never reads past them, whatever they hold.
ParsedRecord ParseJournalRecord(std::span<const std::byte> bytes);

}  // namespace az
