#pragma once
// From options to the shape of a network, and which precision a processor is fast at. No LibTorch
// here.

#include <string>

#include "base/result.h"
#include "engine/config/options.h"
#include "games/game_ops.h"
#include "scheduler/net_shape.h"

namespace az {

// The shape of the network that `options` asks for on this game. kInvalid: heads do not divide
// filters.
Result<NetShape> MakeNetShape(const NetOptions& options, const GameInfo& game);

// Whether a network of this shape can be built: sizes positive, heads divide filters, heads and
// attention blocks agree.
Result<void> ValidateNetShape(const NetShape& shape);

// For messages: "planes 2, rows 5, cols 5, actions 25, filters 64, …".
std::string DescribeNetShape(const NetShape& shape);

// Whether this processor multiplies bf16 natively and the system lets us (AVX512-BF16).
bool CpuHasFastBf16();

// What `auto` means on this processor: bf16 where it is fast, else fp32.
Precision CpuPrecision(const Auto<Precision>& asked);

}  // namespace az
