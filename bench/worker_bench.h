#pragma once
// az_bench worker: what one worker process costs: its start, and its memory with every slot in the
// middle of a large search.

#include "base/result.h"
#include "bench/bench_args.h"

namespace az {

// [--games a,b] [--slots N] [--simulations N] [--seconds N] [--json]. Starts the real az_worker
// beside a server in this process that answers at once with even chances.
Result<void> RunWorkerBench(BenchArgs& args);

}  // namespace az
