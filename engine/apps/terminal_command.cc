// az_play play, and az_play without a command: a person against a player. docs/az_play.md.

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "base/strings.h"
#include "engine/apps/play_command.h"
#include "engine/apps/seed_option.h"
#include "engine/play/line_runner.h"
#include "engine/play/terminal_game.h"
#include "engine/play/terminal_level.h"
#include "engine/records/game_text.h"

namespace az {
namespace {

struct TerminalArguments : PlayArguments {
  std::string side = "x";
  int level = 0;
  std::uint64_t seed = 0;
  bool ascii = false;
};

// Writes the game in the format of the path's ending, or in the game's natural one.
Result<void> SaveRecord(const NotedGame& record, const GameOps& game, const std::string& path) {
  RecordFormat format = NaturalFormat(game.info());
  for (const RecordFormat other : {RecordFormat::kSgf, RecordFormat::kMoves}) {
    if (path.ends_with(FileEnding(other))) format = other;
  }
  AZ_ASSIGN_OR_RETURN(const std::string text, WriteGame(record, game, format));
  return WriteFileAtomic(path, text);
}

// Runs the game. Sets `signal` when a signal arrives that ends the program.
Result<void> RunTerminal(const TerminalArguments& arguments, int& signal) {
  AZ_ASSIGN_OR_RETURN(const PersonSides person, ParsePersonSides(arguments.side));
  AZ_ASSIGN_OR_RETURN(PlayEnvironment environment, EnvironmentOf(arguments));
  environment.time = TimeKept::kSeconds;
  environment.seed = arguments.seed;
  environment.on_signal = [&](int number) { signal = number; };
  AZ_ASSIGN_OR_RETURN(const ResolvedPlayer player, ResolvePlayer(arguments.player, environment));
  const bool has_levels = HasLevels(player.spec.kind);
  if (arguments.level != 0 && !has_levels) {
    return WithContext(StrCat("--level ", arguments.level), NoLevels(ToString(player.spec)));
  }
  AZ_ASSIGN_OR_RETURN(GameSession session, GameSession::Create(*player.game));
  AZ_ASSIGN_OR_RETURN(std::unique_ptr<Thinker> thinker, OpenThinker(player, environment));
  TerminalOptions options{.person = person,
                          .level = arguments.level,
                          .has_levels = has_levels,
                          .seed = arguments.seed,
                          .echo = isatty(STDIN_FILENO) != 1,
                          .opponent = ToString(player.spec),
                          .save = SaveRecord};
  if (!arguments.ascii) options.style = StyleOfEnvironment(isatty(STDOUT_FILENO) == 1);
  TerminalGame game(std::move(session), std::move(thinker), options);
  LineRunner runner(STDIN_FILENO, STDOUT_FILENO, [&] { return signal != 0; });
  AZ_RETURN_IF_ERROR(runner.Run(game));
  return {};
}

void Declare(CLI::App& command, TerminalArguments& arguments) {
  AddPlayArguments(command, arguments);
  command.add_option("--side", arguments.side, "yours: x (moves first), o, both or none");
  command.add_option("--level", arguments.level, "1 to 10; 0: the player as it is set up")
      ->check(CLI::Range(0, kMostLevel));
  AddSeedOption(command, arguments.seed, "of what levels and random or mcts players draw");
  command.add_flag("--ascii", arguments.ascii, "letters for stones, no colours");
}

}  // namespace

void AddTerminalCommand(CLI::App& app, PlayRun& run) {
  const auto arguments = std::make_shared<TerminalArguments>();  // shared by the parser and the run
  CLI::App* const command = app.add_subcommand("play", "a game at the terminal; may be left out");
  Declare(*command, *arguments);
  Declare(app, *arguments);
  command->callback([command] { RefuseRepeatedOptions(*command); });
  // A subcommand that is given replaces this.
  run = [arguments] {
    int signal = 0;
    const Result<void> result = RunTerminal(*arguments, signal);
    return ExitOf(result, signal);
  };
}

}  // namespace az
