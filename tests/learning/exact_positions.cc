#include "tests/learning/exact_positions.h"

#include <memory>
#include <unordered_set>
#include <utility>

namespace az {
namespace {

// `position` without its moves; false when its game is over.
bool Describe(const GameOps& game, std::span<const Action> actions, ExactPosition& position) {
  const std::unique_ptr<Position> reached = game.Replay(actions).value();
  position = {.actions = {actions.begin(), actions.end()}, .hash = reached->Hash()};
  position.legal = reached->LegalActions();
  return !reached->FinalOutcome().has_value();
}

}  // namespace

Result<std::vector<ExactPosition>> SolveEverything(const GameOps& game, Solver& solver) {
  std::vector<ExactPosition> all(1);
  Describe(game, {}, all.front());
  std::unordered_set<std::uint64_t> seen = {all.front().hash};
  for (std::size_t next = 0; next < all.size(); ++next) {
    std::vector<Action> actions = all[next].actions;
    const Player mover = game.Replay(actions).value()->ToMove();
    AZ_ASSIGN_OR_RETURN(const int value, solver.Solve(actions));
    all[next].value = value;
    for (const Action action : std::vector<Action>(all[next].legal)) {
      actions.push_back(action);
      AZ_ASSIGN_OR_RETURN(const int reply, solver.Solve(actions));
      const bool turns = game.Replay(actions).value()->ToMove() != mover;
      if ((turns ? -reply : reply) == value) all[next].keeping.push_back(action);
      ExactPosition after;
      if (Describe(game, actions, after) && seen.insert(after.hash).second) {
        all.push_back(std::move(after));
      }
      actions.pop_back();
    }
  }
  return all;
}

}  // namespace az
