#pragma once
// ReplayFeed: fills a ReplayWindow from the journals of a run. The learner calls it before each
// training; it reads only what is new, up to places that the supervisor has written down, so that a
// training that is done again sees the same games.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>

#include "base/result.h"
#include "engine/data/game_log.h"
#include "engine/data/journal.h"
#include "engine/data/replay_window.h"
#include "games/game_ops.h"

namespace az {

struct JournalExtent {
  std::filesystem::path path;
  std::int64_t bytes = 0;  // read no further
};

struct FeedCounts {
  std::int64_t games = 0;             // given to the window
  std::int64_t failed_games = 0;      // left out: given up, no result
  std::int64_t conflicted_games = 0;  // left out: StitchedGame::conflicted
};

// Thread-compatible.
class ReplayFeed {
 public:
  // `game` and `window` outlive the feed. `identity.lane` is ignored: all lanes are read.
  ReplayFeed(const GameOps& game, const JournalIdentity& identity, ReplayWindow& window);
  ReplayFeed(const ReplayFeed&) = delete;  // the log calls back into it
  ReplayFeed& operator=(const ReplayFeed&) = delete;

  // Reads each journal, all of one folder, up to its extent; then the window holds, settled, the
  // self-play games of iterations up to `iteration`. kCorrupt: a journal is damaged or ends before
  // its extent, or a game does not follow the rules, with game and ply; kIncompatible: a journal of
  // another run or game; kIo. After a failure the window may hold a part. Repairs of the journals
  // are read by the first call: only a start of the run adds one, and this process starts with it.
  Result<void> ReadTo(std::span<const JournalExtent> journals, std::uint32_t iteration);

  const FeedCounts& counts() const { return counts_; }

 private:
  Result<JournalProgress> Read(const JournalExtent& journal, std::int64_t limit_bytes);
  Result<void> ReadToRepairs(std::span<const JournalExtent> journals);
  void OnFinished(StitchedGame&& stitched);

  const GameOps& game_;
  JournalIdentity identity_;
  ReplayWindow& window_;
  GameLog log_;
  std::map<std::filesystem::path, JournalReader> readers_;
  std::optional<Error> illegal_game_;
  FeedCounts counts_;
};

}  // namespace az
