#pragma once
// Points of the games that count them: go (area, with komi) and othello (discs). For final scores;
// winning never depends on it, that is Position::FinalOutcome.

#include <optional>
#include <span>

#include "base/result.h"
#include "games/game.h"
#include "games/game_ops.h"

namespace az {

// The first player's points less the second's as the board stands after `actions`, komi taken off.
// nullopt in games without points. Fails as GameOps::Replay and GameOps::Start do.
Result<std::optional<double>> PointsMargin(const GameOps& game, const StartOptions& options,
                                           std::span<const Action> actions);

// What the second player gets unless told otherwise; nullopt in games without komi.
std::optional<double> DefaultKomi(const GameOps& game);

}  // namespace az
