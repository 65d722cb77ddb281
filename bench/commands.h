#pragma once
// The sub-commands of az_bench: each is a function that takes the arguments behind its name. All of
// them print a table, or with --json one line per result. bench/search_bench.h has one more.

#include <span>
#include <string_view>

#include "base/result.h"
#include "bench/bench_args.h"

namespace az {

struct BenchCommand {
  std::string_view name;
  const char* help;
  Result<void> (*run)(BenchArgs&);
};

// The sub-commands that need LibTorch; empty in a build without it.
std::span<const BenchCommand> TorchCommands();

// arena: matches of two networks beside self-play, with the same processes, network and simulations.
// --config F [--set key=value]... [--games N] [--rounds N]. Each round plays N games against itself
// and then a match of N games between two networks, both to their ends, in a temporary run
// directory. Prints medians over the rounds and the ratio of games per second.
Result<void> RunArenaBench(BenchArgs& args);

// footprint: the formulas of scheduler/footprint.h beside byte traces of real networks.
// [--small] [--summary].
Result<void> RunFootprintBench(BenchArgs& args);

// inference: the share of its runners' speed that the server passes on. [--nets a,b] [--workers N]
// [--blocks N] [--runners N] [--batch N] [--milliseconds N] [--windows N]. For each network on Hex
// 5x5 prints rows per second of the server under processes that only submit, those of the bare loop,
// and the ratio.
Result<void> RunInferenceBench(BenchArgs& args);

// ipc: rows per second through the shared segment with a runner that only copies: the limit of the
// transport. [--milliseconds N] [--windows N] [--floor N]. Forks a server and workers, and prints the
// median over the windows for each setting. Fails when a child dies or a setting moves less than
// --floor rows per second.
Result<void> RunIpcBench(BenchArgs& args);

// rules: the speed of each game's rules on one core. [--games a,b] [--depth N] [--repeats N]. Perft
// counts the lines of a fixed depth; random play-outs draw a legal action, play it and look for a
// result until the game is over. The default is all games, 5 repeats and a perft of some million
// lines. Prints medians, one line per game and measure.
Result<void> RunRulesBench(BenchArgs& args);

// selfplay: self-play of a config with the real processes, beside the bare loop of its runners on the
// same cores. --config F [--set key=value]... [--seconds N] [--windows N]. Plays with a fresh network
// in a temporary run directory. N windows share the seconds; between two of them the workers stand
// still and the bare loop has the cores. Prints medians and the ratio.
Result<void> RunSelfplayBench(BenchArgs& args);

// sharing: one inference server for all workers beside the usual design, a device process with its
// own model for every worker: memory and evaluations with rising numbers of workers.
// [--config F] [--set key=value]... [--workers 1,2,4,8,16] [--games N] [--seconds N]. Each point runs
// the real processes with the same config, N open games in total and a first network.
Result<void> RunSharingBench(BenchArgs& args);

// strength: two ways to search play each other with the same network, in one process.
// --checkpoint RUN|CHECKPOINT [--a OPTIONS] [--b OPTIONS] [--visits 16,32,64] [--games N]
// [--opening-plies N] [--seed N].
Result<void> RunStrengthBench(BenchArgs& args);

// worker: the cost of one worker process: its start, and its memory with every slot in the middle of
// a large search. [--games a,b] [--slots N] [--simulations N] [--seconds N]. Starts the real az_worker
// beside a server in this process that answers at once with a uniform policy.
Result<void> RunWorkerBench(BenchArgs& args);

// yardstick: how often a player errs on positions that an exact solver has judged. Prints a line per
// class of positions and one for all; with --convert also how many won positions the player wins
// against the hardest defence. With --checkpoint, or with --run for every checkpoint of a run,
// everything that the solver can tell: openings, mistakes, games against perfect play.
Result<void> RunYardstickBench(BenchArgs& args);

}  // namespace az
