#include "games/solvers/exact_opponent.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include "games/solvers/move_judge.h"

namespace az {

Result<void> ExactOpponent::Judge(const Position& position, std::vector<Action>& actions,
                                  Known& known) {
  Result<JudgedMoves> judged = JudgeMoves(position, actions, solver_);
  if (judged) {
    known.keeping = std::move(judged->keeping);
    return {};
  }
  if (judged.error().code != Errc::kTimeout) return std::move(judged).error();
  known.keeping = known.hardest = position.LegalActions();
  known.guessed = true;
  return {};
}

Result<void> ExactOpponent::FindHardest(const Position& position, std::vector<Action>& actions,
                                        Known& known) {
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const Action a : known.keeping) {
    const std::unique_ptr<Position> next = PositionAfter(position, a);
    std::size_t left = 0;
    if (!next->FinalOutcome().has_value()) {
      actions.push_back(a);
      const Result<JudgedMoves> judged = JudgeMoves(*next, actions, solver_);
      actions.pop_back();
      if (!judged && judged.error().code != Errc::kTimeout) return judged.error();
      // A move that the solver cannot judge is as good as any.
      left = judged ? judged->keeping.size() : 1;
    }
    if (left < fewest) known.hardest.clear();
    fewest = std::min(fewest, left);
    if (left == fewest) known.hardest.push_back(a);
  }
  return {};
}

Result<Action> ExactOpponent::Reply(const Position& position, std::vector<Action>& actions,
                                    Defence defence, Rng& rng) {
  Known& known = known_[position.Hash()];
  if (known.keeping.empty()) AZ_RETURN_IF_ERROR(Judge(position, actions, known));
  if (known.guessed) ++guesses_;
  const bool hardest = defence == Defence::kHardest && std::ssize(actions) >= first_hard_ply_;
  if (hardest && known.hardest.empty()) {
    AZ_RETURN_IF_ERROR(FindHardest(position, actions, known));
  }
  const std::vector<Action>& choices = hardest ? known.hardest : known.keeping;
  return choices[static_cast<std::size_t>(rng.Below(choices.size()))];
}

}  // namespace az
