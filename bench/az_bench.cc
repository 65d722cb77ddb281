// az_bench: benchmarks as sub-commands. Each prints a table, or with --json one line a result.

#include <array>
#include <cstdio>
#include <span>
#include <string_view>

#include "base/exit_codes.h"
#include "base/result.h"
#include "bench/bench_args.h"
#include "bench/ipc_bench.h"
#include "bench/rules_bench.h"
#include "bench/search_bench.h"

namespace {

struct Command {
  std::string_view name;
  const char* help;
  az::Result<void> (*run)(az::BenchArgs&);
};

constexpr std::array kCommands = {
    Command{"ipc",
            "rows through the shared segment with a runner that only copies\n"
            "          [--milliseconds N] [--windows N]",
            az::RunIpcBench},
    Command{"rules",
            "perft and random play-outs of the games, one core\n"
            "          [--games a,b] [--repeats N]",
            az::RunRulesBench},
    Command{
        "search",
        "tree search with the uniform evaluator, one core\n"
        "          [--games a,b] [--simulations N] [--repeats N] [--milliseconds N] [--features]",
        az::RunSearchBench},
};

void PrintUsage(std::FILE* to) {
  std::fputs("usage: az_bench COMMAND [--json] [options]\n", to);
  for (const Command& command : kCommands) {
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
  for (const Command& command : kCommands) {
    if (command.name != name) continue;
    az::BenchArgs args(std::span(argv + 2, argv + argc));
    const az::Result<void> result = command.run(args);
    if (result) return 0;
    std::fprintf(stderr, "az_bench %s: %s\n", argv[1], result.error().message.c_str());
    return static_cast<int>(az::ExitCodeFor(result.error().code));
  }
  PrintUsage(stderr);
  return static_cast<int>(az::ExitCode::kUsage);
}
