// az_bench: benchmarks as sub-commands. Each prints a table, or with --json one line a result.

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "base/exit_codes.h"
#include "base/result.h"
#include "base/standard_output.h"
#include "bench/bench_args.h"
#include "bench/command.h"
#include "bench/ipc_bench.h"
#include "bench/rules_bench.h"
#include "bench/search_bench.h"
#include "bench/worker_bench.h"
#include "bench/yardstick_bench.h"

namespace {

constexpr std::array kCommands = {
    az::BenchCommand{"ipc",
                     "rows through the shared segment with a runner that only copies\n"
                     "          [--milliseconds N] [--windows N] [--floor N]",
                     az::RunIpcBench},
    az::BenchCommand{"rules",
                     "perft and random play-outs of the games, one core\n"
                     "          [--games a,b] [--depth N] [--repeats N]",
                     az::RunRulesBench},
    az::BenchCommand{
        "search",
        "tree search with the uniform evaluator, one core\n"
        "          [--games a,b] [--simulations N] [--repeats N] [--milliseconds N] [--features]",
        az::RunSearchBench},
    az::BenchCommand{"worker",
                     "start and memory of a worker process, answered at once\n"
                     "          [--games a,b] [--slots N] [--simulations N] [--seconds N]",
                     az::RunWorkerBench},
    az::BenchCommand{
        "yardstick",
        "mistakes of players on positions that an exact solver has judged\n"
        "          [--game G] [--player random|mcts|uniform|playouts|CHECKPOINT,...]\n"
        "          (each with settings: playouts?sims=2000&c_puct=3)\n"
        "          [--sims N] [--positions N] [--seed N] [--convert]\n"
        "          or all that can be said of one trained player:\n"
        "          --checkpoint RUN|CHECKPOINT [--sims N] [--positions N] [--games N]\n"
        "          [--seed N]; --run RUN in its place: of every checkpoint that it has kept,\n"
        "          into RUN/yardstick.jsonl too",
        az::RunYardstickBench},
};

std::vector<az::BenchCommand> AllCommands() {
  std::vector<az::BenchCommand> commands(kCommands.begin(), kCommands.end());
  const auto torch = az::TorchCommands();
  commands.insert(commands.end(), torch.begin(), torch.end());
  std::ranges::sort(commands, {}, &az::BenchCommand::name);
  return commands;
}

void PrintUsage(std::FILE* to) {
  std::fputs("usage: az_bench COMMAND [--json] [options]\n", to);
  for (const az::BenchCommand& command : AllCommands()) {
    std::fprintf(to, "  %.*s  %s\n", static_cast<int>(command.name.size()), command.name.data(),
                 command.help);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "--help") {
    PrintUsage(stdout);
    return 0;
  }
  for (const az::BenchCommand& command : AllCommands()) {
    if (command.name != name) continue;
    az::BenchArgs args(std::span(argv + 2, argv + argc));
    az::Result<void> result = command.run(args);
    if (result) result = az::FlushOutput();
    if (result) return 0;
    std::fprintf(stderr, "az_bench %s: %s\n", argv[1], result.error().message.c_str());
    return static_cast<int>(az::ExitCodeFor(result.error().code));
  }
  PrintUsage(stderr);
  return static_cast<int>(az::ExitCode::kUsage);
}
