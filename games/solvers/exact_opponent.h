#pragma once
// ExactOpponent: perfect play that sets problems. Of the replies that keep its value it draws one,
// or one of those that leave the player the fewest moves to keep his.

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
  // Plies before `first_hard_ply` are drawn even by kHardest: too much to look at.
  ExactOpponent(Solver& solver, int first_hard_ply)
      : solver_(solver), first_hard_ply_(first_hard_ply) {}

  // Its move in a running position that `actions` led to; drawn from `rng` among equals. Where the
  // solver gives up (kTimeout) any legal move, which is counted. Fails as Solver::Solve else.
  Result<Action> Reply(const Position& position, std::vector<Action>& actions, Defence defence,
                       Rng& rng);

  // Replies so far that the solver could not judge.
  int guesses() const { return guesses_; }

 private:
  struct Known {
    std::vector<Action> keeping;
    std::vector<Action> hardest;  // empty: not looked for yet
    bool guessed = false;
  };
  Result<void> Judge(const Position& position, std::vector<Action>& actions, Known& known);
  Result<void> FindHardest(const Position& position, std::vector<Action>& actions, Known& known);

  Solver& solver_;
  int first_hard_ply_;
  std::unordered_map<std::uint64_t, Known> known_;  // by the position's hash
  int guesses_ = 0;
};

}  // namespace az
