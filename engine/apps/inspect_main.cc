// az_inspect: looks into things. `az_inspect run DIR`: where the run stands and what its journals
// hold. `az_inspect memory DIR`: what its memory did. `az_inspect rules`: answers questions about
// the rules of the games.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <string>

#include "base/exit_codes.h"
#include "base/strings.h"
#include "engine/apps/inspect_memory.h"
#include "engine/apps/inspect_rules.h"
#include "engine/apps/inspect_run.h"

namespace {

int Print(const std::string& dir, const az::Result<std::string>& text) {
  if (!text) {
    const az::Error error = az::WithContext(az::StrCat("inspect ", dir), text.error());
    std::fprintf(stderr, "az_inspect: %s\n", error.message.c_str());
    return static_cast<int>(az::ExitCodeFor(error.code));
  }
  std::fputs(text->c_str(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Looks into run directories and rules.", "az_inspect");
  app.require_subcommand(1);
  std::string dir;
  bool json = false;
  const auto add = [&](const char* name, const char* what) {
    CLI::App* command = app.add_subcommand(name, what);
    command->add_option("dir", dir, "run directory")->required();
    command->add_flag("--json", json, "one JSON object");
    return command;
  };
  CLI::App* run = add("run", "where a run stands and what its journals hold");
  add("memory", "what a run's memory did: peaks by phase, layers, rungs, events");
  CLI::App* rules = app.add_subcommand(
      "rules", "answers JSON lines on standard input, as engine/apps/inspect_rules.h has them");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(az::ExitCode::kUsage);
  }
  if (rules->parsed()) {
    std::ios::sync_with_stdio(false);
    az::AnswerRules(std::cin, std::cout);
    return static_cast<int>(std::cout ? az::ExitCode::kOk : az::ExitCode::kFailed);
  }
  return Print(dir, run->parsed() ? az::InspectRun(dir, json) : az::InspectMemory(dir, json));
}
