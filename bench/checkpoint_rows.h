#pragma once
// Evaluates single rows with a trained network, in the caller's thread. Needs LibTorch; in a build
// without it loading fails with kUnavailable.

#include <filesystem>
#include <functional>
#include <span>

#include "base/result.h"
#include "games/game_ops.h"
#include "mcts/eval_row.h"

namespace az {

using AnswerRows = std::function<Result<void>(std::span<const EvalRow>)>;

// Loads the weights in `file`. Fails as LoadWeights does, and with kIncompatible for another game.
Result<AnswerRows> LoadCheckpointRows(const std::filesystem::path& file, const GameInfo& game);

}  // namespace az
