// az_plan: shows what a config would take on this machine, or on another one, before anything is
// started. Parses and prints; plan_command.h does the work.

#include <CLI/CLI.hpp>
#include <string>

#include "engine/apps/plan_command.h"
#include "engine/apps/program.h"
#include "engine/config/config_printer.h"

namespace az {
namespace {

constexpr const char* kName = "az_plan";

struct Arguments : PlanArguments {
  bool print_config = false;
  bool print_config_docs = false;
  bool cards = false;
};

void Declare(CLI::App& app, Arguments& arguments) {
  app.add_option("--config", arguments.config, "a config file, or a name in configs/");
  app.add_option("--set", arguments.sets, "key=value over the config; may be repeated")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--budget", arguments.budget,
                 "device memory to plan for, as 4GiB or 80% (on a CPU: host memory)");
  app.add_option("--ram", arguments.ram, "plan as if this much host memory were available");
  app.add_option("--cores", arguments.cores, "plan as if there were so many cores")
      ->check(CLI::Range(1, 1024));
  app.add_option("--simulate", arguments.simulate,
                 "plan for a GPU that is not here: 12GiB, 12GiB:rtx4070, rtx4070-12GB");
  app.add_option("--compare", arguments.compare,
                 "per_worker: the bill of the usual design, a network in every process, beside it");
  app.add_option("--sweep", arguments.sweep, "num_workers: the plan for each number of workers");
  app.add_option("--explain", arguments.explain,
                 "a config key: its value in the plan, why, and what would change");
  app.add_option("--write", arguments.write,
                 "write the config with the plan's numbers in place of auto");
  app.add_flag("--measure", arguments.measure,
               "run batches on this machine for some seconds and plan with what they took");
  CLI::Option* const json = app.add_flag("--json", arguments.json, "print JSON");
  app.add_flag("--cards", arguments.cards, "print the table of cards of docs/memory.md")
      ->excludes(json);
  app.add_flag("--print-config", arguments.print_config,
               "print every value with its origin, and plan nothing")
      ->excludes(json);
  app.add_flag("--print-config-docs", arguments.print_config_docs, "print docs/config.md")
      ->excludes(json);
}

Result<std::string> Run(const Arguments& arguments) {
  if (arguments.print_config_docs) return ConfigMarkdown();
  if (arguments.cards) return CardsMarkdown();
  if (!arguments.print_config) return PlanCommand(arguments);
  AZ_ASSIGN_OR_RETURN(const LoadedConfig loaded, LoadConfig(arguments.config, arguments.sets));
  return PrintConfig(loaded);
}

}  // namespace
}  // namespace az

int main(int argc, char** argv) {
  CLI::App app("what a config takes of a machine: memory by phase and term, worker counts, and why",
               az::kName);
  az::Arguments arguments;
  az::Declare(app, arguments);
  return az::RunProgram(az::kName, app, argc, argv, [&] {
    const az::Result<std::string> text = az::Run(arguments);
    if (!text) return az::Complain(az::kName, text.error());
    return az::Print(az::kName, *text);
  });
}
