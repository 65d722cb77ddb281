#include "engine/tournament/arena_programs.h"

#include <poll.h>

#include <optional>
#include <utility>

#include "base/readable.h"
#include "base/strings.h"
#include "engine/players/gtp_player.h"

namespace az {
namespace {

constexpr int kPollMs = 20;

GtpReply Greet(GtpPlayer program) {
  program.NewGame();
  while (true) {
    if (std::optional<GtpReply> reply = program.PollTold()) return *std::move(reply);
    pollfd descriptor{.fd = program.output(), .events = POLLIN, .revents = 0};
    if (program.wants_write()) descriptor.events |= POLLOUT;
    ::poll(&descriptor, 1, kPollMs);
  }
}

}  // namespace

Result<void> CheckProgram(const PlayerSpec& player, const GameOps& game, const Clock& clock) {
  if (player.kind != PlayerKind::kGtp) return {};
  const GtpReply reply =
      Greet(GtpPlayer(GtpPlayerOptions::For(player.source, player.settings, game), clock));
  if (!reply.fault) return {};
  return Error{Errc::kUnavailable,
               StrCat("player ", Shown(player.text), " did not start a game of ", game.info().entry,
                      ": ", Shown(reply.reason, 400))};
}

Result<void> CheckPrograms(const ArenaSetup& setup, const Clock& clock) {
  for (const ArenaPlayer& player : setup.players) {
    AZ_RETURN_IF_ERROR(CheckProgram(player.spec, *setup.game, clock));
  }
  return {};
}

}  // namespace az
