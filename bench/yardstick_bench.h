#pragma once
// az_bench yardstick: how often a player errs on positions that an exact solver has judged.

#include "base/result.h"
#include "bench/bench_args.h"

namespace az {

// A line a class of positions and one for all; with --convert also how many won positions the
// player wins against the hardest defence. With --checkpoint, or --run for every checkpoint of a
// run, all that the solver can say: openings, mistakes, games against perfect play.
Result<void> RunYardstickBench(BenchArgs& args);

}  // namespace az
