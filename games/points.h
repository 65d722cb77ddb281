#pragma once
// The points of the games that count them: go (area, with komi) and othello (discs). For showing
// final scores; who has won is Position::FinalOutcome.

#include <optional>
#include <span>

#include "base/result.h"
#include "games/game.h"
#include "games/game_ops.h"

namespace az {

// The first player's points minus the second's and the komi, as the board stands after `actions`;
// nullopt in games without points. Fails as GameOps::Replay and GameOps::Start do.
Result<std::optional<double>> PointsMargin(const GameOps& game, const StartOptions& options,
                                           std::span<const Action> actions);

// The komi that the second player gets by default; nullopt in games without komi.
std::optional<double> DefaultKomi(const GameOps& game);

}  // namespace az
