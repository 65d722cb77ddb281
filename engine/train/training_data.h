#pragma once
// TrainingData: the replay window of a run, fed from its journals. Kept between iterations, so that
// each reads only what is new; what it holds for given (journals, limits, iteration) does not
// depend on that.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/config/options.h"
#include "engine/data/replay_feed.h"
#include "engine/data/replay_window.h"
#include "engine/process/messages.h"
#include "games/game_ops.h"

namespace az {

// Thread-compatible. The game outlives it.
class TrainingData {
 public:
  // `run`: whose journals these must be; its lane does not matter.
  TrainingData(const GameOps& game, const JournalIdentity& run, const TrainOptions& options);

  // Reads every journal up to its limit and settles the window on the self-play games of iterations
  // before `before_iteration`. Fails as ReplayFeed::ReadTo; the next call then starts from nothing.
  // REQUIRES: before_iteration >= 1.
  Result<void> Read(std::span<const LaneLimit> journals, std::uint32_t before_iteration);

  const ReplayWindow& window() const { return *window_; }
  const FeedCounts& counts() const { return feed_->counts(); }

 private:
  void StartOver();
  bool GoesBack(std::span<const LaneLimit> journals, std::uint32_t before_iteration) const;

  const GameOps& game_;
  const JournalIdentity run_;
  const WindowOptions options_;
  std::unique_ptr<ReplayWindow> window_;
  std::unique_ptr<ReplayFeed> feed_;
  std::vector<JournalExtent> read_;  // how far, by the last Read
  std::uint32_t before_iteration_ = 0;
};

}  // namespace az
