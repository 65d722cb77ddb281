#pragma once
// ExactOpponent: perfect play that sets problems. Among the replies that keep its value it draws
// any one, or one of those that leave the player the fewest moves that keep theirs.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "games/game_ops.h"
#include "games/solvers/solver.h"

namespace az {

enum class Defence : std::uint8_t { kRandom, kHardest };

// Remembers the positions it has met. The solver outlives it. Thread-compatible.
class ExactOpponent {
 public:
  // Before `first_hard_ply` even kHardest draws from all replies: there would be too much to judge.
  ExactOpponent(Solver& solver, int first_hard_ply)
      : solver_(solver), first_hard_ply_(first_hard_ply) {}

  // The opponent's move in a running position that `actions` led to, drawn with `rng` among equals.
  // Where the solver gives up (kTimeout) it is any legal move, and guesses() counts it. Otherwise
  // fails as Solver::Solve does.
  Result<Action> Reply(const Position& position, std::vector<Action>& actions, Defence defence,
                       Rng& rng);

  // The number of replies so far that the solver could not judge.
  int guesses() const { return guesses_; }

 private:
  struct Known {
    std::vector<Action> keeping;
    std::vector<Action> hardest;  // empty: not searched for yet
    bool guessed = false;
  };
  Result<void> Judge(const Position& position, std::vector<Action>& actions, Known& known);
  Result<void> FindHardest(const Position& position, std::vector<Action>& actions, Known& known);

  Solver& solver_;
  int first_hard_ply_;
  std::unordered_map<std::uint64_t, Known> known_;  // keyed by the position's hash
  int guesses_ = 0;
};

}  // namespace az
