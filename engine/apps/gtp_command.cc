// az_play gtp: a player behind the Go Text Protocol on standard input and output. docs/az_play.md.

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/strings.h"
#include "engine/apps/play_command.h"
#include "engine/apps/seed_option.h"
#include "engine/play/gtp_engine.h"
#include "engine/play/line_runner.h"

namespace az {
namespace {

struct GtpArguments : PlayArguments {
  double resign = 0.0;
  std::uint64_t seed = 0;
};

// Makes the player for other games than the one it was resolved for, where it plays them.
MakeThinker ThinkersOf(const PlayerRequest& request, const PlayEnvironment& environment) {
  return [=](const GameOps& game) -> Result<std::unique_ptr<Thinker>> {
    PlayerRequest other = request;
    other.game = game.info().entry;
    other.board_size = 0;
    AZ_ASSIGN_OR_RETURN(const ResolvedPlayer player, ResolvePlayer(other, environment));
    return OpenThinker(player, environment);
  };
}

// Runs the dialogue. Sets `signal` when a signal arrives that ends the program.
Result<void> RunGtp(const GtpArguments& arguments, int& signal) {
  const SteadyClock clock;
  AZ_ASSIGN_OR_RETURN(PlayEnvironment environment, EnvironmentOf(arguments));
  environment.time = TimeKept::kClock;
  environment.seed = arguments.seed;
  environment.on_signal = [&](int number) { signal = number; };
  AZ_ASSIGN_OR_RETURN(const ResolvedPlayer player, ResolvePlayer(arguments.player, environment));
  GtpOptions options{.name = StrCat("az ", ToString(player.spec)),
                     .resign_threshold = arguments.resign};
  if (!player.spec.settings.clock.empty()) options.clock = player.spec.settings.time_control();
  AZ_ASSIGN_OR_RETURN(
      GtpEngine engine,
      GtpEngine::Create(*player.game, ThinkersOf(arguments.player, environment), options, clock));
  LineRunner runner(STDIN_FILENO, STDOUT_FILENO, [&] { return signal != 0; });
  AZ_RETURN_IF_ERROR(runner.Run(engine));
  return {};
}

}  // namespace

void AddGtpCommand(CLI::App& app, PlayRun& run) {
  CLI::App* const command =
      app.add_subcommand("gtp", "speaks the Go Text Protocol, version 2, for every game");
  const auto arguments = std::make_shared<GtpArguments>();  // shared by the parser and the run
  AddPlayArguments(*command, *arguments);
  AddSeedOption(*command, arguments->seed, "of what a random or mcts player draws");
  command
      ->add_option("--resign", arguments->resign,
                   "resign after three own moves in a row worth at most minus this; 0: never")
      ->check(CLI::Range(0.0, 1.0));
  command->callback([&run, arguments, command] {
    RefuseEarlierOptions(*command);
    run = [arguments] {
      int signal = 0;
      const Result<void> result = RunGtp(*arguments, signal);
      return ExitOf(result, signal);
    };
  });
}

}  // namespace az
