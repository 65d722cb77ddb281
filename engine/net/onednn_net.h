#pragma once
// OnednnNet: inference through oneDNN's fused operators (convolution + bias + ReLU, + residual), as
// LibTorch has them. Channels-last, weights packed once. Any shape, fp32 and bf16. Private to
// engine/net.

#include <memory>

#include "base/result.h"
#include "engine/net/folded_net.h"
#include "engine/net/inference_net.h"

namespace az {

// kUnavailable: this LibTorch has no oneDNN. May throw what LibTorch throws (torch_guard.h).
Result<std::unique_ptr<const InferenceNet>> MakeOnednnNet(const FoldedNet& net,
                                                          Precision precision);

}  // namespace az
