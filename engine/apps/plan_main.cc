// az_plan: what a config would take of this machine, or of one that is not there, before anything
// is started.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/exit_codes.h"
#include "base/strings.h"
#include "engine/config/config_printer.h"
#include "engine/config/config_reader.h"
#include "engine/config/machine.h"
#include "engine/config/plan_json.h"
#include "engine/config/plan_request.h"
#include "engine/ipc/memory_limits.h"
#include "games/registry.h"
#include "scheduler/planner.h"
#include "scheduler/report.h"

namespace az {
namespace {

struct Arguments {
  std::string config;
  std::vector<std::string> sets;
  std::string budget;
  std::string ram;
  std::string simulate;
  int cores = 0;
  bool json = false;
  bool print_config = false;
  bool print_config_docs = false;
};

void Declare(CLI::App& app, Arguments& arguments) {
  app.add_option("--config", arguments.config, "a config file, or a name in configs/");
  app.add_option("--set", arguments.sets, "key=value over the config; may be repeated")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--budget", arguments.budget,
                 "device memory to plan for, as 4GiB (on a CPU: host memory)");
  app.add_option("--ram", arguments.ram, "plan as if this much host memory were available");
  app.add_option("--cores", arguments.cores, "plan as if there were so many cores")
      ->check(CLI::Range(1, 1024));
  app.add_option("--simulate", arguments.simulate,
                 "plan for a GPU that is not here: 12GiB, 12GiB:rtx4070, rtx4070-12GB");
  app.add_flag("--json", arguments.json, "print the plan as JSON");
  app.add_flag("--print-config", arguments.print_config,
               "print every value with its origin, and plan nothing");
  app.add_flag("--print-config-docs", arguments.print_config_docs, "print docs/config.md");
}

Result<DeviceFacts> DeviceOf(const Arguments& arguments, const RunConfig& config) {
  const bool simulate = !arguments.simulate.empty();
  Machine machine = ReadMachine("/", simulate ? -1 : GpuIndexOf(config.engine));
  if (arguments.cores > 0) machine.cores = arguments.cores;
  Bytes ram = std::min(machine.memory_available, ReadMemoryLimits("/").cgroup_left);
  if (!arguments.ram.empty()) {
    AZ_ASSIGN_OR_RETURN(ram, ParseBytes(arguments.ram));
  }
  return simulate ? SimulatedCard(arguments.simulate, machine, ram)
                  : ChooseDevice(config.engine, machine, ram);
}

Result<void> Run(const Arguments& arguments) {
  if (arguments.print_config_docs) {
    std::fputs(ConfigMarkdown().c_str(), stdout);
    return {};
  }
  if (arguments.config.empty()) {
    return Error{Errc::kInvalid, "--config is missing (for example --config 5x5.yaml)"};
  }
  AZ_ASSIGN_OR_RETURN(LoadedConfig loaded, LoadConfig(arguments.config, arguments.sets));
  if (arguments.print_config) {
    std::fputs(PrintConfig(loaded).c_str(), stdout);
    return {};
  }
  RunConfig& config = loaded.config;
  AZ_ASSIGN_OR_RETURN(const GameOps* game,
                      FindGame(config.game.name, config.game.board_size.value_or(0)));
  AZ_ASSIGN_OR_RETURN(const DeviceFacts device, DeviceOf(arguments, config));
  if (!arguments.budget.empty()) {
    AZ_ASSIGN_OR_RETURN(const Bytes budget, ParseBytes(arguments.budget));
    const bool cpu = device.kind == DeviceKind::kCpu;
    (cpu ? config.memory.ram_budget : config.memory.vram_budget) = MemorySize{budget, 0};
  }
  const PlanInput input = PlanInputFor(config, game->info(), device);
  AZ_ASSIGN_OR_RETURN(const Plan plan, MakePlan(input));
  const std::string text = arguments.json ? PlanJson(input, plan) : PlanReport(input, plan);
  std::fputs(text.c_str(), stdout);
  return {};
}

}  // namespace
}  // namespace az

int main(int argc, char** argv) {
  CLI::App app("what a config takes of a machine: memory by phase and term, worker counts, and why",
               "az_plan");
  az::Arguments arguments;
  az::Declare(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(az::ExitCode::kUsage);
  }
  const az::Result<void> done = az::Run(arguments);
  if (done) return 0;
  std::fprintf(stderr, "az_plan: %s\n", done.error().message.c_str());
  return static_cast<int>(az::ExitCodeFor(done.error().code));
}
