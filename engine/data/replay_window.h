#pragma once
// ReplayWindow: the self-play games that training samples from, the newest ones of a run, and the
// held-out games that only measure. What it holds after Settle depends on the games alone, not on
// the order in which they came or on how often the process was started, so that a redone training
// phase sees the same positions.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "engine/data/game_record.h"
#include "engine/data/position_store.h"
#include "engine/data/surprise.h"
#include "games/game_ops.h"

namespace az {

struct WindowOptions {
  std::int64_t start_positions = 20'000;   // c below
  std::int64_t max_positions = 2'000'000;  // whatever the formula says
  double held_out_fraction = 0.02;         // of games
  SampledPlies sampled = SampledPlies::kWithPolicy;
  bool merges_duplicates = false;  // equal positions are one sample (sample_index.h)
  SurpriseOptions surprise = {};
  bool has_index() const { return merges_duplicates || surprise.is_on(); }
};

// Positions in the window once `made` positions exist: c (1 + beta ((made / c)^alpha - 1) / alpha),
// alpha 0.75, beta 0.4 (Wu 2020, KataGo, arXiv 1902.10565, appendix C); `made` when that is fewer;
// at most max_positions.
std::int64_t WindowPositions(const WindowOptions& options, std::int64_t made);

// Whether a game is held out: by its id alone, so that it is so in every process and for good.
bool IsHeldOut(GameId id, double fraction);

// That the game replays to its outcome, and that every policy names legal actions with a sum above
// 0. kCorrupt, with game and ply, if not. The answer: what a window of these options wants noted.
Result<PlyNotes> CheckGame(const GameOps& game, const GameRecord& record,
                           const WindowOptions& options = {});

// The self-play games of one iteration, held-out ones included.
struct IterationGames {
  std::int64_t games = 0;
  std::int64_t plies = 0;
  std::int64_t positions = 0;  // to train on
  std::int64_t first_player_wins = 0;
  std::int64_t draws = 0;
  std::int64_t second_player_wins = 0;
  // What players made of the start, in games whose first move was theirs, not a random opening's.
  struct FromStart {
    std::int64_t games = 0;
    std::int64_t first_player_wins = 0;
    std::int64_t draws = 0;
    std::vector<std::int64_t> first_moves;  // games by their first action
    double first_player_score() const;      // wins + draws / 2, as a share of these games
    double first_move_entropy_nats() const;
  };
  FromStart from_start;
  double mean_plies() const;
};

// Thread-compatible.
class ReplayWindow {
 public:
  explicit ReplayWindow(const WindowOptions& options) : options_(options) {}

  // From here on, games of iterations up to `iteration` count; those that were added early now do.
  // REQUIRES: not lower than before.
  void Open(std::uint32_t iteration);
  // Takes a game, once. Games of later iterations wait for their Open. However many are added, an
  // eighth more than max_positions are held, and the held-out games among them. REQUIRES: a
  // self-play game with an outcome; notes of CheckGame with these options.
  void Add(const GameRecord& record, PlyNotes notes = {});
  const WindowOptions& options() const { return options_; }
  // Drops what the window has outgrown and numbers the positions. Between Open and Settle nothing
  // may be sampled.
  void Settle();

  const PositionStore& train() const { return train_; }
  const PositionStore& held_out() const {
    return held_out_;
  }  // of the iterations that train() reaches back to
  std::int64_t made_positions() const {
    return made_positions_;
  }  // ever, to train on; dropped ones included
  // Everything held, waiting games included.
  Bytes memory() const;
  // Null when no game of that iteration counts yet.
  const IterationGames* iteration(std::uint32_t iteration) const;

 private:
  void Insert(PackedGame game);
  void KeepNewest(std::int64_t positions);  // and the held-out games among them

  WindowOptions options_;
  std::optional<std::uint32_t> iteration_;
  PositionStore train_;
  PositionStore held_out_;
  std::vector<PackedGame> later_;
  std::map<std::uint32_t, IterationGames> iterations_;
  std::int64_t made_positions_ = 0;
};

}  // namespace az
