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
  Bytes table = MiB(64);                        // memory of solved positions, taken at once
  std::uint64_t max_positions = 1'000'000'000;  // looked at in one Solve, before it gives up
  // Called every few milliseconds of a Solve; an error ends that Solve with it. Not set: nobody
  // looks on.
  std::function<Result<void>()> look_up = {};
};

// Remembers what it solved, so that neighbours of a position come cheap. Thread-compatible.
class Solver {
 public:
  virtual ~Solver() = default;
  // The value under best play after `actions` (the game's action numbers, from its start) for the
  // side to move, at the end too: +1 won, 0 drawn, -1 lost. kInvalid, naming the ply: an action the
  // solver's own rules refuse. kTimeout: max_positions were not enough. The errors of
  // SolverOptions::look_up. What was solved up to an error is remembered.
  virtual Result<int> Solve(std::span<const Action> actions) = 0;
  // Positions looked at by the last Solve.
  virtual std::uint64_t positions() const = 0;
};

// The solver of a registry entry; kNotFound lists those that have one.
Result<std::unique_ptr<Solver>> MakeSolver(std::string_view entry,
                                           const SolverOptions& options = {});
std::vector<std::string> SolvedEntries();

namespace solver_internal {
Error IllegalAction(std::size_t ply, Action action);
}  // namespace solver_internal

}  // namespace az
