#pragma once
// Whether a network can be built, and which precision a processor is fast at. No LibTorch here.

#include <string>

#include "base/describe.h"
#include "base/result.h"
#include "scheduler/net_shape.h"
#include "scheduler/precision.h"

namespace az {

// Whether a network of this shape can be built: sizes positive, heads divide filters, heads and
// attention blocks agree, a quarter of the filters can be pooled where blocks pool.
Result<void> ValidateNetShape(const NetShape& shape);

// For messages: "planes 2, rows 5, cols 5, actions 25, filters 64, …".
std::string DescribeNetShape(const NetShape& shape);

// Whether this processor multiplies bf16 natively and the system lets us (AVX512-BF16).
bool CpuHasFastBf16();
// Whether LibTorch runs oneDNN's bf16 forms: without AVX-512 it refuses their weights.
bool OnednnHasBf16();

// Whether it multiplies tiles of bf16 too, and the system lets this process (AMX-BF16). The first
// call asks the system.
bool CpuHasTiles();

// What `auto` means on this processor: bf16 where it is fast, else fp32.
Precision CpuPrecision(const Auto<Precision>& asked);

}  // namespace az
