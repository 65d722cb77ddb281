#pragma once
// az_bench rules: how fast the rules of each game are on one core. Perft counts the lines of a
// fixed depth, random play-outs draw a legal action, play it and look for a result until the game
// is over.

#include "base/result.h"
#include "bench/bench_args.h"

namespace az {

// [--games a,b] [--depth N] [--repeats N] [--json]: all games, 5 repeats and a perft of some
// million lines by default. Prints medians, one line a game and measure.
Result<void> RunRulesBench(BenchArgs& args);

}  // namespace az
