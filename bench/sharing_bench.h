#pragma once
// az_bench sharing: one inference server for all workers beside the usual design, a device process
// with a model of its own for every worker: memory and evaluations at rising worker counts.

#include "base/result.h"
#include "bench/bench_args.h"

namespace az {

// --config F [--set key=value]... [--workers 1,2,4,8,16] [--games N] [--seconds N] [--json].
// Each point runs the real processes: the same config, N games open in all, a first network.
Result<void> RunSharingBench(BenchArgs& args);

}  // namespace az
