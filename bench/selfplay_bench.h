#pragma once
// az_bench selfplay: self-play of a config with the real processes, beside the bare loop of its
// runners on the same cores.

#include "base/result.h"
#include "bench/bench_args.h"

namespace az {

// --config F [--set key=value]... [--seconds N] [--windows N] [--json]. Plays with a fresh network
// in a temporary run directory. N windows share the seconds; between two of them the workers stand
// still and the bare loop has the cores. Prints medians and the ratio.
Result<void> RunSelfplayBench(BenchArgs& args);

}  // namespace az
