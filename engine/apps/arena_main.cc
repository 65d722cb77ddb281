// az_arena: matches and tournaments of players. Parses and runs; the tournament itself is
// engine/tournament/arena_run.h.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/strings.h"
#include "engine/apps/program.h"
#include "engine/apps/seed_option.h"
#include "engine/tournament/arena_run.h"

namespace {

constexpr const char* kName = "az_arena";

struct Arguments : az::ArenaRequest {
  std::string a, b;  // the players of a match
  std::string players_text;
  std::vector<std::string> each_player;
  std::string format_text = "round_robin";
  bool json = false;
  bool quiet = false;
};

void Describe(CLI::App& app, Arguments& arguments) {
  app.add_option("--a", arguments.a, "a player: runs/x, runs/x@iter=12, random, mcts:sims=200");
  app.add_option("--b", arguments.b, "its opponent");
  app.add_option("--players", arguments.players_text, "two or more players, commas between them");
  app.add_option("--player", arguments.each_player,
                 "one of two or more players, whole: repeat it where a player has a comma")
      ->allow_extra_args(false);
  app.add_option("--format", arguments.format_text, "round_robin; gauntlet: the first meets all");
  app.add_option("--games", arguments.games, "games of each match, in colour-swapped pairs")
      ->required();
  app.add_option("--openings", arguments.openings, "plies=N random plies, or a file of moves");
  app.add_option("--sprt", arguments.sprt,
                 "end a match once it has decided: elo0=0,elo1=10 and, if not 0.05, alpha=, beta=");
  app.add_option("--game", arguments.game, "the game, where no checkpoint says it");
  app.add_option("--board-size", arguments.board_size, "its board size")->check(CLI::Range(1, 64));
  app.add_option("--sims", arguments.sims, "simulations a move of players that do not say it")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--seconds", arguments.seconds, "or seconds a move")
      ->check(CLI::Range(0.001, 86400.0));
  app.add_option("--out", arguments.out, "the folder of the games; the same command goes on there");
  app.add_option("--mode", arguments.mode, "where the networks run: gpu, cpu or auto");
  app.add_option("--budget", arguments.budget, "memory it may use, of GPU or host: 4GiB, 80%");
  az::AddSeedOption(app, arguments.seed, "seed of openings and players");
  app.add_option("--workers", arguments.workers, "worker processes")->check(CLI::Range(1, 256));
  app.add_option("--config", arguments.config, "search, engine and memory options from a config");
  app.add_option("--set", arguments.sets, "key=value over the config; may be repeated")
      ->allow_extra_args(false);
  app.add_flag("--json", arguments.json, "print one JSON object at the end and nothing else");
  app.add_flag("--quiet", arguments.quiet, "print the results only");
  // An empty text is a mistake, such as a variable that a script has not set.
  for (CLI::Option* option : app.get_options()) {
    if (option->get_type_name() != "TEXT") continue;
    option->check([](const std::string& text) {
      return text.empty() ? "it is empty (leave the option out)" : std::string();
    });
  }
}

// Checks and completes players and format. Fails with kInvalid.
az::Result<void> Complete(Arguments& arguments) {
  const bool is_pair = !arguments.a.empty() && !arguments.b.empty();
  const bool is_half = is_pair != (!arguments.a.empty() || !arguments.b.empty());
  const int ways = (is_pair ? 1 : 0) + (arguments.players_text.empty() ? 0 : 1) +
                   (arguments.each_player.empty() ? 0 : 1);
  if (is_half || ways != 1) {
    return az::Error{az::Errc::kInvalid,
                     "give --a and --b, or --players, or --player for each of them"};
  }
  arguments.players = arguments.each_player;
  if (is_pair) arguments.players = {arguments.a, arguments.b};
  if (!arguments.players_text.empty()) {
    for (const std::string_view player : az::Split(arguments.players_text, ',')) {
      arguments.players.emplace_back(az::Trim(player));
    }
  }
  AZ_ASSIGN_OR_RETURN(arguments.format, az::ParseFormat(arguments.format_text));
  return {};
}

int Run(Arguments& arguments) {
  const az::Result<std::filesystem::path> programs = az::FindPrograms();
  if (!programs) return az::Complain(kName, programs.error());
  if (const az::Result<void> complete = Complete(arguments); !complete) {
    return az::Complain(kName, complete.error());
  }
  const bool terminal = ::isatty(arguments.json ? STDERR_FILENO : STDOUT_FILENO) == 1;
  const char* no_color = std::getenv("NO_COLOR");  // no-color.org: set and not empty
  const bool quiet = arguments.quiet || (arguments.json && !terminal);
  return az::RunArena(arguments, {.style = quiet      ? az::DisplayStyle::kQuiet
                                           : terminal ? az::DisplayStyle::kLive
                                                      : az::DisplayStyle::kLines,
                                  .colour = terminal && (no_color == nullptr || *no_color == '\0'),
                                  .json = arguments.json,
                                  .programs = *programs});
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Plays matches and tournaments; the same command goes on with one that was stopped.",
               kName);
  Arguments arguments;
  Describe(app, arguments);
  return az::RunProgram(kName, app, argc, argv, [&] { return Run(arguments); });
}
