#pragma once
// az_bench search: simulations a second of one core with an evaluator that costs nothing.

#include "base/result.h"
#include "bench/bench_args.h"

namespace az {

// Plays games against itself, a fresh tree each move, rows through Gather and Absorb, all features
// off: the set-up of the rival in docs/performance.md. With --features also each feature on. Prints
// medians.
Result<void> RunSearchBench(BenchArgs& args);

}  // namespace az
