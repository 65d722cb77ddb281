// az_play: plays with people and programs, and analyses. Parses; each subcommand is a file.

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/exit_codes.h"
#include "engine/apps/play_command.h"
#include "engine/process/process_setup.h"

int main(int argc, char** argv) {
  if (const az::Result<void> hardened = az::HardenProcess(); !hardened) {
    return az::Complain(hardened.error());
  }
  az::ExitWhenOutOfMemory("az_play");
  CLI::App app("Plays and analyses with a trained player, or with another one.", "az_play");
  app.require_subcommand(0, 1);
  az::PlayRun run;
  az::AddTerminalCommand(app, run);
  az::AddGtpCommand(app, run);
  az::AddAnalyzeCommand(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(az::ExitCode::kUsage);
  }
  return run();
}
