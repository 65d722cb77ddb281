#pragma once
// Journal: one lane's append-only file of games, move by move. The lane's worker writes it, the
// supervisor tails it while it grows, learner and tools read it. A move is committed when
// JournalWriter::Move has returned; then it survives the death of every process (a loss of power:
// when the writer's or a reader's Sync has returned). Format: docs/formats/journal.md.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "engine/data/journal_format.h"

namespace az {

// What Open had to do with the end of a file. All zero after a clean stop.
struct JournalRecovery {
  std::int64_t cut_bytes = 0;
  std::string fault;  // why they were cut
  std::filesystem::path
      saved_as;  // where cut bytes are kept when they were more than a torn record
};

// Thread-compatible. The only writer of its file, which a lock (flock) makes sure of.
class JournalWriter {
 public:
  // Opens `path` for appending, or creates it with a header. Records before `valid_bytes` are known
  // to be whole (a reader's valid_bytes; 0 knows nothing); the rest is checked, and everything from
  // the first bad record on is cut off: a torn record at the end silently, damage with a copy of
  // what was cut beside the file, see recovery(). An older format version in the header becomes
  // this build's. Blocks, at most until `lock_by`, while another process still writes the file: a
  // predecessor that was killed may take a moment to be gone. Fails: kBusy when it is not gone by
  // then; kIncompatible and kCorrupt as CheckJournalHeader, the file is unchanged then; kCorrupt
  // also when it is shorter than valid_bytes; kNoSpace, kIo.
  static Result<JournalWriter> Open(const std::filesystem::path& path,
                                    const JournalIdentity& identity, std::int64_t valid_bytes = 0,
                                    Deadline lock_by = Deadline::In(std::chrono::seconds(5)));

  // Each appends one record with one write(). On a failure (kNoSpace, kIo) nothing of it stays in
  // the file and the writer can be used again; if even that is not possible, every later call
  // fails.
  Result<void> StartGame(GameId id) { return Append(GameStarted{id}); }
  Result<void> Move(GameId id, MoveRecord move) { return Append(MovePlayed{id, std::move(move)}); }
  Result<void> EndGame(const GameEnded& end) { return Append(end); }
  Result<void> Append(const JournalRecord& record);

  Result<void> Sync();  // fdatasync: blocks until the bytes are on the disk

  std::int64_t size_bytes() const { return size_bytes_; }
  const JournalRecovery& recovery() const { return recovery_; }

 private:
  JournalWriter(UniqueFd fd, std::filesystem::path path)
      : fd_(std::move(fd)), path_(std::move(path)) {}
  Result<void> WriteHeader(const JournalIdentity& identity);
  Result<void> Recover(std::int64_t valid_bytes, std::int64_t file_bytes);

  UniqueFd fd_;
  std::filesystem::path path_;
  std::int64_t size_bytes_ = 0;
  JournalRecovery recovery_;
  bool broken_ = false;  // the file may end in half a record that could not be taken back
  std::vector<std::byte> buffer_;
};

enum class JournalEnd : std::uint8_t {
  kClean,    // at the end of the file, or at the limit
  kTorn,     // inside the last record: it is being written, or its writer died
  kCorrupt,  // at bytes that are no record
};
struct JournalProgress {
  std::int64_t valid_bytes = 0;  // whole, right records up to here; 0: not even the header is there
  std::int64_t records = 0;      // given to the sink by this call
  JournalEnd end = JournalEnd::kClean;
  std::string fault;  // kTorn, kCorrupt: what is wrong, with its place
};

// Follows a journal that may still grow, or may not exist yet. Thread-compatible; any number of
// readers.
class JournalReader {
 public:
  using Sink = std::function<void(JournalRecord&&)>;

  JournalReader(std::filesystem::path path, JournalIdentity identity);

  // Gives `sink` the records since the last call, in order, at most up to byte `limit_bytes` of the
  // file, and says where and why it stopped. A bad record is never passed over: after it, later
  // calls look again at the same place. kIncompatible, kCorrupt: the header's, or the file is
  // shorter than what was read before. kIo.
  Result<JournalProgress> ReadNew(
      const Sink& sink, std::int64_t limit_bytes = std::numeric_limits<std::int64_t>::max());

  // fdatasync: blocks until what was read is on the disk, whoever wrote it. kNoSpace, kIo.
  Result<void> Sync() const;

  std::int64_t valid_bytes() const { return valid_bytes_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  Result<bool> ReadHeader(std::int64_t file_bytes, JournalProgress& progress);

  std::filesystem::path path_;
  JournalIdentity identity_;
  UniqueFd fd_;
  std::int64_t valid_bytes_ = 0;
};

}  // namespace az
