#pragma once
// az_bench inference: what the server passes on of its runners' speed.

#include "base/result.h"
#include "bench/bench_args.h"

namespace az {

// [--nets a,b] [--workers N] [--blocks N] [--runners N] [--batch N] [--milliseconds N] [--windows
// N]
// [--json]: for each network on Hex 5x5, rows a second of the server under processes that only
// submit, of the bare loop, and the ratio.
Result<void> RunInferenceBench(BenchArgs& args);

}  // namespace az
