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
#include <vector>

#include "base/result.h"
#include "engine/data/game_log.h"
#include "engine/data/journal.h"
#include "engine/loop/run_state.h"

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
  // `lanes`. kIncompatible, kCorrupt: a file of another run, game or version.
  static Result<std::unique_ptr<LaneJournals>> Open(const std::filesystem::path& folder,
                                                    const JournalIdentity& identity, int lanes);

  // Reads what is new in all files. A torn end is left for the worker that owns it. kCorrupt: a
  // file has had damaged bytes for many calls.
  Result<void> Poll();

  // Before any worker is started: cuts off what is damaged and all behind it, after it was copied
  // beside the file. One text for a person for each file that was cut. Errors as
  // JournalWriter::Open.
  Result<std::vector<std::string>> CutDamage();
  // kCorrupt when a file is missing or shorter than `lanes` says, and was not cut by CutDamage, now
  // or ever.
  Result<void> CheckHolds(const std::vector<LaneBytes>& lanes) const;

  // Reads one lane to its end; after its worker was reaped nothing more comes.
  Result<void> PollLane(int lane);

  std::int64_t valid_bytes(int lane) const;
  std::vector<LaneBytes> AllBytes() const;
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

 private:
  struct Lane {
    int number = 0;
    JournalIdentity identity;
    JournalReader reader;
    int damaged_reads = 0;  // in a row
  };
  Result<void> Read(Lane& lane);

  std::vector<Lane> lanes_;
  GameLog log_;
  std::map<GameId, FinishedGame> finished_;
  std::function<void(const FinishedGame&)> callback_;
};

// "lane_007.journal".
std::string LaneJournalName(int lane);

}  // namespace az
