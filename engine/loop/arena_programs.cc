#include "engine/loop/arena_programs.h"

#include <poll.h>

#include <optional>
#include <string>

#include "base/readable.h"
#include "base/strings.h"
#include "engine/players/gtp_player.h"
#include "engine/players/gtp_process.h"

namespace az {
namespace {

constexpr int kPollMs = 20;

Result<void> CheckProgram(const std::string& command, Duration timeout, const Clock& clock) {
  AZ_ASSIGN_OR_RETURN(GtpProcess program, GtpProcess::Start(command));
  AZ_RETURN_IF_ERROR(program.Send("protocol_version"));
  const TimePoint too_late = clock.Now() + timeout;
  while (clock.Now() < too_late) {
    AZ_ASSIGN_OR_RETURN(const std::optional<GtpAnswer> answer, program.Receive());
    if (answer && answer->ok && answer->text == "2") return {};
    if (answer) {
      return Error{Errc::kIncompatible,
                   StrCat("it answered protocol_version with '", Shown(answer->text), "', not 2")};
    }
    pollfd descriptor{.fd = program.output(), .events = POLLIN, .revents = 0};
    ::poll(&descriptor, 1, kPollMs);
  }
  return Error{Errc::kTimeout,
               StrCat("it did not answer protocol_version in ", Seconds(timeout), " s")};
}

}  // namespace

Result<void> CheckPrograms(const ArenaSetup& setup, const Clock& clock) {
  for (const ArenaPlayer& player : setup.players) {
    if (player.spec.kind != PlayerKind::kGtp) continue;
    Duration timeout = GtpOptions{}.timeout;
    if (player.spec.settings.timeout) {
      timeout = Duration(static_cast<Duration::rep>(*player.spec.settings.timeout * 1e9));
    }
    if (const Result<void> checked = CheckProgram(player.spec.source, timeout, clock); !checked) {
      return Error{Errc::kUnavailable,
                   StrCat("player ", Shown(player.spec.text),
                          " did not start: ", Shown(checked.error().message, 400))};
    }
  }
  return {};
}

}  // namespace az
