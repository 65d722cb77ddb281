#include "games/solvers/move_judge.h"

#include <algorithm>

#include "base/check.h"
#include "base/strings.h"

namespace az {

std::unique_ptr<Position> PositionAfter(const Position& position, Action action) {
  std::unique_ptr<Position> next = position.Clone();
  const Result<void> applied = next->Apply(action);
  AZ_CHECK(applied.has_value()) << applied.error().message;
  return next;
}

Result<JudgedMoves> JudgeMoves(const Position& position, std::vector<Action>& actions,
                               Solver& solver) {
  JudgedMoves judged;
  judged.legal = position.LegalActions();
  for (const Action a : judged.legal) {
    const std::unique_ptr<Position> next = PositionAfter(position, a);
    actions.push_back(a);
    const Result<int> value = solver.Solve(actions);
    actions.pop_back();
    if (!value) return WithContext(StrCat("after ", actions.size(), " plies"), value.error());
    judged.values.push_back(next->ToMove() == position.ToMove() ? *value : -*value);
  }
  judged.value = *std::ranges::max_element(judged.values);
  for (std::size_t i = 0; i < judged.values.size(); ++i) {
    if (judged.values[i] == judged.value) judged.keeping.push_back(judged.legal[i]);
  }
  return judged;
}

}  // namespace az
