#pragma once
// az_bench strength: two ways to search play each other with the same network, in one process.

#include "base/result.h"
#include "bench/bench_args.h"

namespace az {

Result<void> RunStrengthBench(BenchArgs& args);

}  // namespace az
