#include "engine/apps/play_command.h"

#include <filesystem>
#include <utility>

#include "base/exit_codes.h"
#include "base/strings.h"
#include "engine/apps/program.h"

namespace az {

void AddPlayArguments(CLI::App& command, PlayArguments& arguments) {
  command.add_option("--player", arguments.player.player,
                     "a checkpoint (runs/x, runs/x@iter=12, a weights file), random, solver or "
                     "mcts:sims=1000; settings behind: ?sims=200");
  command.add_option("--game", arguments.player.game,
                     "game: a family (hex, go, ...) or an entry like hex5; a checkpoint's own "
                     "without it");
  command.add_option("--board-size", arguments.player.board_size, "board size")
      ->check(CLI::Range(1, 64));
  command
      .add_option("--set", arguments.sets,
                  "key=value over the config of a checkpoint's run; may be repeated")
      ->allow_extra_args(false);
}

void RefuseEarlierOptions(const CLI::App& command) {
  for (const CLI::Option* option : command.get_parent()->get_options()) {
    if (option->count() == 0) continue;
    throw CLI::ValidationError(StrCat(option->get_name(), " stands before ", command.get_name(),
                                      ", which would not see it: ", kPlayName, " ",
                                      command.get_name(), " ", option->get_name(), " ..."));
  }
}

void RefuseRepeatedOptions(const CLI::App& play) {
  for (const CLI::Option* option : play.get_parent()->get_options()) {
    if (option->count() == 0 || play.get_option(option->get_name())->count() == 0) continue;
    throw CLI::ValidationError(StrCat(option->get_name(), " stands before ", play.get_name(),
                                      " and behind it: give it once"));
  }
}

Result<PlayEnvironment> EnvironmentOf(const PlayArguments& arguments) {
  AZ_ASSIGN_OR_RETURN(std::filesystem::path programs, FindPrograms());
  return PlayEnvironment{.sets = arguments.sets, .programs = std::move(programs)};
}

int ExitOf(const Result<void>& result, int signal) {
  constexpr int kSignalExit = 128;
  if (signal != 0) return kSignalExit + signal;
  return result ? static_cast<int>(ExitCode::kOk) : Complain(result.error());
}

int Complain(const Error& error) { return Complain(kPlayName, error); }

}  // namespace az
