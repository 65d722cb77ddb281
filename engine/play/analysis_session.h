#pragma once
// AnalysisSession: turns request lines into answer lines, in the order of the requests. It searches
// as many positions at a time as the pools take, and holds a bounded number of lines. No I/O.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/play/analysis_request.h"
#include "engine/play/position_pool.h"
#include "games/game_ops.h"

namespace az {

// An open pool, in which positions are searched for one player.
struct OpenPool {
  const GameOps* game = nullptr;
  PositionPool* pool = nullptr;
  int simulations = 1;  // for requests that do not say
};
// Opens the pools that a session needs. Confined to one thread.
class PoolSource {
 public:
  virtual ~PoolSource() = default;
  // The pool of the request's player for its game. Opens it if necessary, which may take a second;
  // a pool stays open at least until it is empty. Fails with kBusy when another pool has to become
  // empty first; other errors: there is no such player or game, or the player plays another game.
  virtual Result<OpenPool> PoolFor(const AnalysisRequest& request) = 0;
  virtual std::vector<PositionPool*> Pools() = 0;  // all open pools
};

// The source outlives the session. Confined to one thread.
class AnalysisSession {
 public:
  explicit AnalysisSession(PoolSource& source) : source_(source) {}

  // The most lines that wait for their answer; HasRoom tells whether one more may be added.
  static constexpr std::size_t kMostPending = 2048;
  bool HasRoom() const { return pending_.size() < kMostPending; }
  bool is_idle() const { return pending_.empty(); }

  // Takes a line, without its end. Blank lines are ignored, every other line gets one answer.
  // REQUIRES: HasRoom().
  void AddLine(std::string_view line);

  // Searches for a while, at most until the deadline. An error comes from a player's processes, not
  // from a request, and ends the session.
  Result<void> Run(Deadline deadline);

  // The answer lines since the last call, each with its newline.
  std::string TakeOutput();

 private:
  struct Entry {
    std::string id;
    std::unique_ptr<Position> position;  // the request's, if it has no fault so far
    std::optional<std::string> answer;
  };
  struct Waiting {
    std::uint64_t ticket = 0;
    AnalysisRequest request;
  };

  Entry& EntryOf(std::uint64_t ticket) { return pending_[ticket - first_]; }
  void Start();
  Result<bool> Start(const Waiting& waiting);  // false: not possible yet
  void Take(PositionPool& pool);

  PoolSource& source_;
  std::deque<Entry> pending_;    // in the order of their tickets, from first_ on
  std::uint64_t first_ = 0;      // the ticket of pending_.front()
  std::deque<Waiting> waiting_;  // requests that are not in a pool yet
};

}  // namespace az
