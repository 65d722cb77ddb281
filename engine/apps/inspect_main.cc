// az_inspect: looks into things. `az_inspect run DIR`: where the run stands, what its journals
// hold, and its health. `az_inspect games DIR`: its games, shown or written out. `az_inspect memory
// DIR`: what its memory did. `az_inspect rules`: answers questions about the rules of the games.

#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <limits>
#include <optional>
#include <string>

#include "base/exit_codes.h"
#include "base/strings.h"
#include "engine/apps/inspect_dir.h"
#include "engine/apps/inspect_games.h"
#include "engine/apps/inspect_memory.h"
#include "engine/apps/inspect_rules.h"
#include "engine/apps/inspect_run.h"
#include "engine/apps/program.h"

namespace {

constexpr const char* kName = "az_inspect";

int Show(const std::string& dir, const std::function<az::Result<std::string>()>& inspect) {
  const az::Result<void> checked = az::CheckFolder(dir);
  const az::Result<std::string> text = checked ? inspect() : checked.error();
  if (!text) {
    return az::Complain(kName, az::WithContext(az::StrCat("inspect ", dir), text.error()));
  }
  return az::Print(kName, *text);
}

// The options of `az_inspect games`.
struct GamesOptions {
  std::optional<std::size_t> last;
  std::optional<std::uint32_t> iteration;
  std::string kind;
  std::optional<std::string> export_to;
  std::string format;
};

void AddTo(CLI::App& command, GamesOptions& o) {
  command.add_option("--last", o.last, "only the newest N games")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()));
  command.add_option("--iteration", o.iteration, "only games of this iteration or match");
  command.add_option("--kind", o.kind, "only self_play, gate, final, match or yardstick games");
  command.add_option("--export", o.export_to,
                     "writes them: one file if it ends in .sgf or .txt, else a folder of files");
  command.add_option("--format", o.format, "of the files: sgf or moves; by default what fits");
}

az::Result<std::string> Games(const std::string& dir, const GamesOptions& o, bool as_json) {
  AZ_ASSIGN_OR_RETURN(const std::optional<az::GameKind> kind, az::KindOption(o.kind));
  AZ_ASSIGN_OR_RETURN(const std::optional<az::RecordFormat> format, az::FormatOption(o.format));
  az::GamesRequest request{.dir = dir,
                           .query = {.kind = kind, .iteration = o.iteration, .last = o.last},
                           .as_json = as_json,
                           .format = format};
  if (o.export_to && o.export_to->empty()) {
    return az::Error{az::Errc::kInvalid, "--export '' names no file and no folder"};
  }
  if (o.export_to) request.export_to = *o.export_to;
  return az::InspectGames(request);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Looks into run directories and rules.", kName);
  app.require_subcommand(0, 1);  // 0 is refused below, as the parser would not name an unknown one
  std::string dir;
  bool json = false;
  const auto add = [&](const char* name, const char* what) {
    CLI::App* command = app.add_subcommand(name, what);
    command->add_option("dir", dir, "run directory")->required();
    command->add_flag("--json", json, "one JSON object");
    return command;
  };
  CLI::App* run = add("run", "where a run stands, what its journals hold, and its health");
  GamesOptions games_options;
  CLI::App* games = add("games", "the finished games of a run or a match");
  AddTo(*games, games_options);
  CLI::App* memory =
      add("memory", "what a run's memory did: peaks by phase, layers, rungs, events");
  CLI::App* rules = app.add_subcommand(
      "rules", "answers JSON lines on standard input, as engine/apps/inspect_rules.h has them");
  return az::RunProgram(kName, app, argc, argv, [&] {
    if (rules->parsed()) {
      std::ios::sync_with_stdio(false);
      az::AnswerRules(std::cin, std::cout);
      return static_cast<int>(std::cout ? az::ExitCode::kOk : az::ExitCode::kFailed);
    }
    if (games->parsed()) return Show(dir, [&] { return Games(dir, games_options, json); });
    if (run->parsed()) return Show(dir, [&] { return az::InspectRun(dir, json); });
    if (memory->parsed()) return Show(dir, [&] { return az::InspectMemory(dir, json); });
    return az::Complain(kName, {az::Errc::kInvalid,
                                "say what to look at: run DIR, memory DIR, games DIR or rules "
                                "(--help)"});
  });
}
