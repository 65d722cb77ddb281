#pragma once
// az_bench ipc: rows a second through the shared segment with a runner that only copies: what the
// transport can carry.

#include "base/result.h"
#include "bench/bench_args.h"

namespace az {

// Forks a server and workers, measures five windows, prints the median of each setting. Options:
// --milliseconds N a window, --windows N. Fails when a child dies or a setting moves less than
// --floor N rows a second.
Result<void> RunIpcBench(BenchArgs& args);

}  // namespace az
