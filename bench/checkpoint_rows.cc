#include "bench/checkpoint_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "engine/net/checkpoint.h"
#include "engine/net/cpu_runner.h"
#include "engine/net/inference_net.h"

namespace az {
namespace {

// A network and the memory for its forwards.
struct OneRowNet {
  std::unique_ptr<const InferenceNet> net;
  InferenceScratch scratch;
  std::vector<std::uint64_t> planes;
  std::vector<float> logits;

  Result<void> Answer(const EvalRow& row) {
    std::ranges::copy(row.planes, planes.begin());
    AZ_RETURN_IF_ERROR(net->Forward({.planes = planes.data(),
                                     .logits = logits.data(),
                                     .values = row.value,
                                     .rows = 1,
                                     .bucket = 1},
                                    scratch));
    std::copy_n(logits.begin(), row.logits.size(), row.logits.begin());
    return {};
  }
};

}  // namespace

Result<AnswerRows> LoadCheckpointRows(const std::filesystem::path& file, const GameInfo& game) {
  UseOneTorchThread();  // with single rows LibTorch's threads would only wait for each other
  AZ_ASSIGN_OR_RETURN(const Weights weights, LoadWeights(file));
  if (weights.info.game != game.entry || weights.info.game_hash != game.Hash()) {
    return Error{Errc::kIncompatible, StrCat("load ", file.string(), ": plays ", weights.info.game,
                                             ", not ", game.entry)};
  }
  // std::function copies what it holds, but a net cannot be copied, so the copies share it.
  auto shared = std::make_shared<OneRowNet>();
  AZ_ASSIGN_OR_RETURN(shared->net, InferenceNet::Create(weights, {}));
  shared->planes.resize(static_cast<std::size_t>(game.shape.words()));
  shared->logits.resize(static_cast<std::size_t>(game.num_actions));
  return AnswerRows([shared](std::span<const EvalRow> rows) -> Result<void> {
    for (const EvalRow& row : rows) AZ_RETURN_IF_ERROR(shared->Answer(row));
    return {};
  });
}

}  // namespace az
