#pragma once
// DirectNet: inference by kernels of our own, for processors with AVX512-BF16, and faster ones
// where they have AMX-BF16 too. Skips the zeros around the board, keeps sums in registers and rows
// of several positions together, so it comes near the processor's limit at any batch size, and a
// row's answer does not depend on what else is in the batch, to the last bit. Private to
// engine/net.

#include <memory>

#include "base/result.h"
#include "engine/net/folded_net.h"
#include "engine/net/inference_net.h"
#include "scheduler/cpu_unit.h"

namespace az {

// Whether this processor and these kernels can run the shape.
bool DirectNetRuns(const NetShape& shape);

// REQUIRES: DirectNetRuns(net.shape); for tiles CpuHasTiles().
std::unique_ptr<const InferenceNet> MakeDirectNet(const FoldedNet& net, CpuUnit unit);

}  // namespace az
