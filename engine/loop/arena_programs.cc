#include "engine/loop/arena_programs.h"

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

Result<void> CheckPrograms(const ArenaSetup& setup, const Clock& clock) {
  for (const ArenaPlayer& player : setup.players) {
    if (player.spec.kind != PlayerKind::kGtp) continue;
    const GtpReply reply = Greet(GtpPlayer(
        GtpPlayerOptions::For(player.spec.source, player.spec.settings, *setup.game), clock));
    if (!reply.fault) continue;
    return Error{Errc::kUnavailable,
                 StrCat("player ", Shown(player.spec.text), " did not start a game of ",
                        setup.game->info().entry, ": ", Shown(reply.reason, 400))};
  }
  return {};
}

}  // namespace az
