#include "engine/net/inference_net.h"

#include <utility>

#include "engine/net/folded_net.h"
#include "engine/net/onednn_net.h"
#include "engine/net/torch_guard.h"

namespace az {

std::byte* InferenceScratch::Get(std::size_t bytes) {
  const std::size_t lines = (bytes + sizeof(Line) - 1) / sizeof(Line);
  if (lines > lines_.size()) lines_.resize(lines);
  return lines_.front().bytes;
}

Result<std::unique_ptr<const InferenceNet>> InferenceNet::Create(const Weights& weights,
                                                                 const InferenceOptions& options) {
  AZ_RETURN_IF_ERROR(ValidateWeights(weights));
  return GuardTorch("prepare weights for inference",
                    [&]() -> Result<std::unique_ptr<const InferenceNet>> {
                      return MakeOnednnNet(Fold(weights), options.precision);
                    });
}

}  // namespace az
