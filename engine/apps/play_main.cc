// az_play: plays with people and programs, and analyses. Parses; each subcommand is a file.

#include <CLI/CLI.hpp>

#include "engine/apps/play_command.h"
#include "engine/apps/program.h"

int main(int argc, char** argv) {
  CLI::App app("Plays and analyses with a trained player, or with another one.", az::kPlayName);
  app.require_subcommand(0, 1);
  az::PlayRun run;
  az::AddTerminalCommand(app, run);
  az::AddGtpCommand(app, run);
  az::AddAnalyzeCommand(app, run);
  // Parsing sets it.
  return az::RunProgram(az::kPlayName, app, argc, argv, [&run] { return run(); });
}
