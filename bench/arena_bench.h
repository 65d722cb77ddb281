#pragma once
// az_bench arena: matches of two networks beside self-play, with the same processes, network and
// simulations.

#include "base/result.h"
#include "bench/bench_args.h"

namespace az {

// --config F [--set key=value]... [--games N] [--rounds N] [--json]. Each round plays N games
// against itself and then a match of N games between two networks, both to their ends, in a
// temporary run directory. Prints medians over the rounds and the ratio of games a second.
Result<void> RunArenaBench(BenchArgs& args);

}  // namespace az
