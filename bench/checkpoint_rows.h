#pragma once
// The answers of a trained network to single rows, in the caller's thread. Built with LibTorch;
// without it loading is kUnavailable.

#include <filesystem>
#include <functional>
#include <span>

#include "base/result.h"
#include "games/game_ops.h"
#include "mcts/eval_row.h"

namespace az {

using AnswerRows = std::function<Result<void>(std::span<const EvalRow>)>;

// `file`: of weights. Fails as LoadWeights does, and with kIncompatible for another game.
Result<AnswerRows> LoadCheckpointRows(const std::filesystem::path& file, const GameInfo& game);

}  // namespace az
