#pragma once
// GameDealer: which game goes to which lane. Pure bookkeeping for one phase: a fixed set of games
// is wanted, each lane holds a few more than it can play at once, a lost lane's games go back, and
// a game counts when the journal says that it has finished. Optional extra games (the next
// iteration's) keep workers busy while the last wanted ones finish.

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "engine/data/game_record.h"

namespace az {

// Confined to the supervisor's thread.
class GameDealer {
 public:
  struct Options {
    GameKind kind = GameKind::kSelfPlay;
    std::uint32_t iteration = 0;
    std::uint32_t games = 0;  // wanted: indices [0, games)
    std::uint32_t extra_games =
        0;  // indices [0, extra_games) of iteration + 1, dealt when no wanted game is left
    int per_lane = 64;  // games a lane holds at a time, running and queued
    int lanes = 1;      // that share the games: none is dealt more than its share of what is left
  };
  // `finished`: games of this phase (or the extra ones) that the journal already holds. `open`:
  // games with committed moves and no end; they are dealt first.
  GameDealer(const Options& options, const std::set<GameId>& finished,
             const std::vector<GameId>& open);

  // Games to send to `lane` now, so that it holds `per_lane`, or its share when fewer are left.
  std::vector<GameId> Deal(int lane);
  // Marks a finished game; games of other phases and repeats are ignored. True when it is a wanted
  // one, the first time.
  bool Finish(GameId id);
  // What `lane` held and did not finish goes back, first in the queue.
  void LaneLost(int lane);

  bool AllFinished() const { return finished_count_ >= options_.games; }
  std::uint32_t finished() const { return finished_count_; }
  std::uint32_t wanted() const { return options_.games; }

 private:
  bool Wanted(GameId id) const;
  bool Known(GameId id) const;
  std::size_t MostHeld() const;

  Options options_;
  std::set<GameId> finished_;
  std::deque<GameId> queue_;
  std::map<int, std::set<GameId>> held_;  // lane -> unfinished games
  std::uint32_t finished_count_ = 0;      // of the wanted ones
};

}  // namespace az
