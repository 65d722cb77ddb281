#pragma once
// Exact solvers: who wins a position under best play. For tests and yardsticks only: nothing in
// search or training reads them. Each has rules of its own, so that it is a second opinion on the
// game as well.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "games/game.h"

namespace az {

struct SolverOptions {
  Bytes table = MiB(64);                        // memory of solved positions, allocated at once
  std::uint64_t max_positions = 1'000'000'000;  // the most that one Solve looks at
  // Called every few milliseconds of a Solve; an error ends that Solve and is its result. May be
  // empty.
  std::function<Result<void>()> look_up = {};
};

// A solver remembers what it has solved, so that neighbouring positions are cheap.
// Thread-compatible.
class Solver {
 public:
  virtual ~Solver() = default;
  // The value under best play after `actions` (the game's action numbers, from its start) for the
  // side to move, in finished games too: +1 won, 0 drawn, -1 lost. Fails with kInvalid, naming the
  // ply, when the solver's own rules refuse an action, with kTimeout when max_positions were not
  // enough, and with the errors of SolverOptions::look_up. What was solved before an error is
  // remembered.
  virtual Result<int> Solve(std::span<const Action> actions) = 0;
  // The number of positions that the last Solve looked at.
  virtual std::uint64_t positions() const = 0;
};

// The solver for a registry entry. Fails with kNotFound, listing the entries that have one.
Result<std::unique_ptr<Solver>> MakeSolver(std::string_view entry,
                                           const SolverOptions& options = {});
std::vector<std::string> SolvedEntries();

namespace solver_internal {
Error IllegalAction(std::size_t ply, Action action);
}  // namespace solver_internal

}  // namespace az
