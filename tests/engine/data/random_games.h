#pragma once
// Whole random games with made-up search results, for the tests of engine/data.

#include <memory>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "engine/data/game_record.h"
#include "games/game_ops.h"

namespace az {

// Uniformly random moves; each ply has a policy with probability `policy_fraction`, over all legal
// actions.
inline GameRecord RandomGame(const GameOps& ops, GameId id, double policy_fraction = 1.0) {
  Rng rng = Rng(99).Fork(id.packed);
  GameRecord record;
  record.id = id;
  const std::unique_ptr<Position> position = ops.Start();
  while (!position->FinalOutcome().has_value()) {
    const std::vector<Action> legal = position->LegalActions();
    MoveRecord move;
    move.ply = static_cast<std::uint16_t>(record.moves.size());
    move.action = legal[rng.Below(legal.size())];
    move.visits = 100;
    move.root_value = static_cast<float>(2 * rng.Uniform() - 1);
    if (rng.Uniform() < policy_fraction) {
      for (const Action action : legal) {
        move.policy.push_back({action, static_cast<std::uint16_t>(1 + rng.Below(5000))});
      }
    }
    AZ_CHECK(position->Apply(move.action).has_value());
    record.moves.push_back(std::move(move));
  }
  record.outcome = position->FinalOutcome();
  return record;
}

}  // namespace az
