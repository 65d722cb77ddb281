#pragma once
// GameLog: puts games together from the records of all lanes. A game may be started in one lane and
// go on in another, and the lanes may be read in any order. The supervisor asks it what is done and
// where open games stand; the learner takes the finished games from it. It keeps no finished game,
// only the knowledge that it is finished.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/data/game_record.h"
#include "engine/data/journal_format.h"

namespace az {

// A game whose end and whose every move are in.
struct StitchedGame {
  GameRecord game;
  // Two records of one ply named different actions (two workers had it at the same time). It is
  // over and counts, but moves and policies may be of two different games: nothing to learn from.
  bool conflicted = false;
};

struct GameLogCounts {
  std::int64_t finished = 0;           // failed ones included
  std::int64_t failed = 0;             // EndReason::kFailed
  std::int64_t moves = 0;              // first records of their ply
  std::int64_t repeated_moves = 0;     // dropped: ply known, same action; or the game is finished
  std::int64_t conflicting_moves = 0;  // dropped: ply known, another action
  std::int64_t repeated_ends = 0;      // dropped: the first end counts
};

// Thread-compatible.
class GameLog {
 public:
  // Called within Add, once for each finished game; must not call back into the log.
  using OnFinished = std::function<void(StitchedGame&&)>;
  explicit GameLog(OnFinished on_finished) : on_finished_(std::move(on_finished)) {}

  void Add(JournalRecord&& record);

  bool IsFinished(GameId id) const;
  // The actions from ply 0 up to the first ply that is missing: what a new owner of the game must
  // be told. Empty for games that are unknown or finished.
  std::vector<Action> CommittedActions(GameId id) const;
  // Of these the first at which the side to move would have resigned (kMoveResignable) at a
  // threshold at least as high.
  std::optional<std::uint16_t> FirstResignable(GameId id, double threshold) const;
  // Games of this kind and iteration with a start, a move or an end, that are not finished; rising.
  std::vector<GameId> OpenGames(GameKind kind, std::uint32_t iteration) const;
  std::vector<GameId> FinishedGames(GameKind kind, std::uint32_t iteration) const;  // rising
  // Open games whose end is known but some of whose moves are not: they were lost with a damaged
  // part of a journal.
  std::vector<GameId> GamesWithGaps() const;
  // Of each open game with a missing move, forgets what lies beyond it, moves and end: from there
  // on it is played again, and other moves must not be joined to those. The number of such games.
  // REQUIRES: all lanes were read up to one time (engine/data/journal_repairs.h); while they are
  // read one after the other, whole games have gaps too.
  std::size_t ForgetBeyondGaps();

  // Forgets the open games of a phase that ended early, such as a decided match.
  void DropOpenGames(GameKind kind, std::uint32_t iteration);

  const GameLogCounts& counts() const { return counts_; }

 private:
  struct OpenGame {
    std::map<std::uint16_t, MoveRecord> moves;
    std::optional<GameEnded> end;
    bool conflicted = false;
  };
  void On(const GameStarted& started);
  void On(MovePlayed&& played);
  void On(const GameEnded& ended);
  // Up to the first that is missing.
  static std::uint16_t WholePlies(const OpenGame& game);
  void FinishIfWhole(std::map<GameId, OpenGame>::iterator game);

  OnFinished on_finished_;
  std::map<GameId, OpenGame> open_;
  std::unordered_map<std::uint64_t, std::uint64_t> finished_;  // packed id / 64 -> one bit a game
  GameLogCounts counts_;
};

}  // namespace az
