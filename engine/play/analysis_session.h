#pragma once
// AnalysisSession: request lines in, answer lines out, in the order of the requests; as many
// positions as the pools take are searched at a time. Holds a bounded number of lines. No I/O.

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

// Where positions of a player are searched.
struct OpenPool {
  const GameOps* game = nullptr;
  PositionPool* pool = nullptr;
  int simulations = 1;  // of a request that does not say
};
class PoolSource {
 public:
  virtual ~PoolSource() = default;
  // The pool of the request's player for its game, opened when need be, which may take a second.
  // Open ones stay until they are empty. kBusy: only once another one is empty. Other errors: no
  // such player, game, or a player of another game.
  virtual Result<OpenPool> PoolFor(const AnalysisRequest& request) = 0;
  virtual std::vector<PositionPool*> Pools() = 0;  // all that are open
};

// Confined to one thread. The source outlives it.
class AnalysisSession {
 public:
  explicit AnalysisSession(PoolSource& source) : source_(source) {}

  // Lines that wait for their answer, at most; one more is taken only when there is room.
  static constexpr std::size_t kMostPending = 2048;
  bool HasRoom() const { return pending_.size() < kMostPending; }
  bool is_idle() const { return pending_.empty(); }

  // Takes a line, without its end; a blank one is passed over, every other one gets one answer.
  // REQUIRES: HasRoom().
  void AddLine(std::string_view line);

  // Searches for a while, at most until the deadline. An error ends the session: of a player's
  // processes, not of a request.
  Result<void> Run(Deadline deadline);

  // The lines answered since the last call, each with its end.
  std::string TakeOutput();

 private:
  struct Entry {
    std::string id;
    std::unique_ptr<Position> position;  // of a request that is good so far
    std::optional<std::string> answer;
  };
  struct Waiting {
    std::uint64_t ticket = 0;
    AnalysisRequest request;
  };

  Entry& EntryOf(std::uint64_t ticket) { return pending_[ticket - first_]; }
  void Start();
  Result<bool> Start(const Waiting& waiting);  // false: not yet
  void Take(PositionPool& pool);

  PoolSource& source_;
  std::deque<Entry> pending_;    // by ticket, the first is of first_
  std::uint64_t first_ = 0;      // ticket
  std::deque<Waiting> waiting_;  // not in a pool yet
};

}  // namespace az
