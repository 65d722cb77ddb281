#pragma once
// az_bench footprint: the formulas of scheduler/footprint.h beside byte traces of real networks.

#include "base/result.h"
#include "bench/bench_args.h"

namespace az {

Result<void> RunFootprintBench(BenchArgs& args);

}  // namespace az
