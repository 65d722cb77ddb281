// az_train: trains a player. Parses and runs; the run itself is engine/loop/train_run.h.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/exit_codes.h"
#include "engine/apps/program.h"
#include "engine/config/config_printer.h"
#include "engine/config/config_reader.h"
#include "engine/loop/plan_training.h"
#include "engine/loop/train_run.h"
#include "scheduler/report.h"

namespace {

constexpr const char* kName = "az_train";

struct Arguments {
  std::string config;
  std::vector<std::string> sets;
  bool print_config = false;
  bool dry_run = false;
  bool fresh = false;
  bool quiet = false;
};

void Describe(CLI::App& app, Arguments& arguments) {
  app.add_option("--config", arguments.config, "config file, or the name of one in configs/")
      ->required();
  app.add_option("--set", arguments.sets, "key=value over the config; may be repeated")
      ->allow_extra_args(false);
  app.add_flag("--print-config", arguments.print_config,
               "print every value and where it comes from, and end");
  app.add_flag("--dry-run", arguments.dry_run, "print the plan and end");
  app.add_flag("--fresh", arguments.fresh, "start over in a new directory");
  app.add_flag("--quiet", arguments.quiet, "print the final summary only");
}

int Run(const Arguments& arguments) {
  const az::Result<std::filesystem::path> programs = az::FindPrograms();
  if (!programs) return az::Complain(kName, programs.error());
  const az::Result<az::LoadedConfig> loaded = az::LoadConfig(arguments.config, arguments.sets);
  if (!loaded) {
    std::fprintf(stderr, "%s\n", loaded.error().message.c_str());
    return static_cast<int>(az::ExitCode::kUsage);
  }
  if (arguments.print_config) return az::Print(kName, az::PrintConfig(*loaded));
  if (arguments.dry_run) {
    const az::Result<az::PlannedTraining> planned = az::PlanTraining(loaded->config, *programs);
    if (!planned) {
      return az::Complain(kName, az::WithOrigin(planned.error(), loaded->origins));
    }
    return az::Print(kName, az::PlanReport(planned->input, planned->plan));
  }
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  const char* no_color = std::getenv("NO_COLOR");  // no-color.org: set and not empty
  const az::TrainRunOptions options{
      .mode = arguments.fresh ? az::RunDir::Mode::kFresh : az::RunDir::Mode::kResume,
      .style = arguments.quiet ? az::DisplayStyle::kQuiet
               : terminal      ? az::DisplayStyle::kLive
                               : az::DisplayStyle::kLines,
      .colour = terminal && (no_color == nullptr || *no_color == '\0'),
      .programs = *programs,
      .origins = loaded->origins};
  return az::RunTraining(loaded->config, options);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Trains an AlphaZero player; the same command resumes.", kName);
  Arguments arguments;
  Describe(app, arguments);
  return az::RunProgram(kName, app, argc, argv, [&] { return Run(arguments); });
}
