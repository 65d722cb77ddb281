#include "engine/apps/play_command.h"

#include <cstdio>
#include <system_error>

#include "base/exit_codes.h"

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

Result<PlayEnvironment> EnvironmentOf(const PlayArguments& arguments) {
  std::error_code code;
  const std::filesystem::path programs =
      std::filesystem::read_symlink("/proc/self/exe", code).parent_path();
  if (code || std::filesystem::current_path(code).empty()) {
    return Error{Errc::kUnavailable,
                 "the working directory or /proc is gone: start it from a folder that exists"};
  }
  return PlayEnvironment{.sets = arguments.sets, .programs = programs};
}

int ExitOf(const Result<void>& result, int signal) {
  constexpr int kSignalExit = 128;
  if (signal != 0) return kSignalExit + signal;
  return result ? static_cast<int>(ExitCode::kOk) : Complain(result.error());
}

int Complain(const Error& error) {
  std::fprintf(stderr, "az_play: %s\n", error.message.c_str());
  return static_cast<int>(ExitCodeFor(error.code));
}

}  // namespace az
