// az_bench: benchmarks as sub-commands. Each prints a table, or with --json one line per result.

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_codes.h"
#include "base/result.h"
#include "base/standard_output.h"
#include "base/strings.h"
#include "bench/bench_args.h"
#include "bench/commands.h"
#include "bench/search_bench.h"

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
        "tree search with answers in place of a network, one core\n"
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

void PrintUsage(std::FILE* to, std::span<const az::BenchCommand> commands) {
  std::fputs("usage: az_bench COMMAND [--json] [options]\n", to);
  for (const az::BenchCommand& command : commands) {
    std::fprintf(to, "  %.*s  %s\n", static_cast<int>(command.name.size()), command.name.data(),
                 command.help);
  }
}

az::Result<void> Run(const az::BenchCommand& command, az::BenchArgs args) {
  if (args.TakeFlag("--help")) {
    PrintUsage(stdout, std::span(&command, 1));
  } else {
    AZ_RETURN_IF_ERROR(command.run(args));
  }
  return az::FlushOutput();
}

az::Error Unknown(std::string_view name, std::span<const az::BenchCommand> commands) {
  std::vector<std::string> names;
  for (const az::BenchCommand& command : commands) names.emplace_back(command.name);
  return {az::Errc::kInvalid, az::StrCat("no command '", name, "' (there are ",
                                         az::Join(names, ", "), "; --help says what they do)")};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<az::BenchCommand> commands = AllCommands();
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name.empty()) {
    PrintUsage(stderr, commands);
    return static_cast<int>(az::ExitCode::kUsage);
  }
  if (name == "--help") {
    PrintUsage(stdout, commands);
    return 0;
  }
  const auto command = std::ranges::find(commands, name, &az::BenchCommand::name);
  if (command == commands.end()) return az::Complain("az_bench", Unknown(name, commands));
  const az::Result<void> result = Run(*command, az::BenchArgs(std::span(argv + 2, argv + argc)));
  return result ? 0 : az::Complain(az::StrCat("az_bench ", name), result.error());
}
