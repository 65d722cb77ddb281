#pragma once
// PositionLimit: counts the positions of one Solve, and ends it at the solver's limit or when
// SolverOptions::look_up says so. Every solver asks it as it searches.

#include <cstdint>
#include <functional>
#include <optional>

#include "base/result.h"
#include "games/solvers/solver.h"

namespace az {

// Thread-compatible.
class PositionLimit {
 public:
  // Positions between two calls of look_up: a few milliseconds of the slowest solver.
  static constexpr std::uint64_t kBetweenLooks = 4096;

  explicit PositionLimit(const SolverOptions& options);

  // Begins a new Solve.
  void Restart();
  // Counts one more position. False: the Solve is over, and its value means nothing.
  bool Count() { return ++count_ <= unasked_until_ || GoesOn(); }

  bool is_over() const { return failure_.has_value(); }
  // Why the Solve is over. REQUIRES: is_over().
  const Error& failure() const { return *failure_; }
  std::uint64_t count() const { return count_; }

 private:
  bool GoesOn();
  void AskNext();

  std::uint64_t most_;
  std::function<Result<void>()> look_up_;
  std::uint64_t count_ = 0;
  std::uint64_t unasked_until_ = 0;  // up to this count neither the limit nor look_up is due
  std::optional<Error> failure_;
};

}  // namespace az
