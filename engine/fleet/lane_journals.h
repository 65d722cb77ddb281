#pragma once
// LaneJournals: the supervisor's view of all journals of a run: which games are finished, where
// open ones stand, how far each file is whole. It reads what workers append, and writes to repair
// damage alone.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/data/game_log.h"
#include "engine/data/journal.h"
#include "engine/data/journal_repairs.h"
#include "engine/run/run_state.h"

namespace az {

struct FinishedGame {
  GameId id;
  std::optional<Outcome> outcome;  // nullopt: given up
  int plies = 0;
  int policy_samples = 0;
  std::optional<Action> first = std::nullopt;  // of the first ply
  EndReason reason = EndReason::kRules;
  std::optional<Action> last = std::nullopt;  // of the last ply
  float last_network_value = 0;               // raw, where it was played; for who played it
  std::uint64_t moves = 0;                    // a hash of all actions in their order
};

// Confined to the supervisor's thread.
class LaneJournals {
 public:
  // Knows every journal in `folder`, those of lanes no longer in use included, and those of
  // `lanes`. Self-play games that are finished are kept from `iteration` on (see Finished): a long
  // run has millions. kIncompatible, kCorrupt: a file of another run, game or version.
  static Result<std::unique_ptr<LaneJournals>> Open(const std::filesystem::path& folder,
                                                    const JournalIdentity& identity, int lanes,
                                                    std::uint32_t iteration = 0);

  // Reads what is new in all files. A torn end is left for the worker that owns it. kCorrupt: a
  // file has had damaged bytes for many calls.
  Result<void> Poll();

  // Before any worker is started: cuts off what is damaged and all behind it, after it was copied
  // beside the file. Games that miss moves before others that are there, by damage or a loss of
  // power, are forgotten from the first missing one on, and that is written down as a repair
  // (engine/data/journal_repairs.h). One text for a person for each file that was cut, and one for
  // those games. Errors as JournalWriter::Open and WriteRepairs.
  Result<std::vector<std::string>> CutDamage();
  // kCorrupt when a file is missing or shorter than `lanes` says, and was not cut by CutDamage, now
  // or ever.
  Result<void> CheckHolds(const std::vector<LaneBytes>& lanes) const;
  // For a person who looks at a run and repairs nothing: what the last reading of each file stopped
  // at, and which of `lanes` are missing or shorter, as CheckHolds. Empty for whole files.
  std::vector<std::string> Faults(const std::vector<LaneBytes>& lanes) const;

  // Reads one lane to its end; after its worker was reaped nothing more comes.
  Result<void> PollLane(int lane);

  std::int64_t valid_bytes(int lane) const;
  std::vector<LaneBytes> AllBytes() const;
  // The same, once those bytes are on the disk: a worker that died did not sync its journal.
  // Blocks. kNoSpace, kIo.
  Result<std::vector<LaneBytes>> SyncedBytes() const;
  const GameLog& log() const { return log_; }
  // Finished games of a kind and iteration, by rising id. Kept for the phases of one iteration: see
  // Forget.
  std::vector<FinishedGame> Finished(GameKind kind, std::uint32_t iteration) const;
  // Called for every finished game from now on.
  void OnFinished(std::function<void(const FinishedGame&)> callback) {
    callback_ = std::move(callback);
  }
  // The phase is over: drops what is kept of finished games of earlier ones of its kind, and the
  // open games that a match left when it was decided.
  void Forget(GameKind kind, std::uint32_t iteration);

  // Made public for make_unique; use Open.
  LaneJournals();

  // Tests: what SyncedBytes does with each journal.
  using SyncOne = std::function<Result<void>(const JournalReader&)>;
  void set_sync(SyncOne sync) { sync_ = std::move(sync); }

 private:
  struct Lane {
    int number = 0;
    JournalIdentity identity;
    JournalReader reader;
    int damaged_reads = 0;  // in a row
  };
  Result<void> ReadUpTo(const JournalPoint& point);
  Result<void> Read(Lane& lane);
  Result<void> RepairGames(std::vector<std::string>& told);

  std::filesystem::path folder_;
  std::vector<JournalPoint> repairs_;
  SyncOne sync_ = &JournalReader::Sync;
  std::vector<Lane> lanes_;
  GameLog log_;
  std::map<GameId, FinishedGame> finished_;
  std::uint32_t self_play_from_ = 0;  // iteration; finished games of earlier ones are not kept
  std::function<void(const FinishedGame&)> callback_;
  // By lane: what its last reading stopped at, where that is not the end of the file.
  std::map<int, std::string> faults_;
};

// "lane_007.journal".
std::string LaneJournalName(int lane);

}  // namespace az
