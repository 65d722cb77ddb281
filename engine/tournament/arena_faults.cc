#include "engine/tournament/arena_faults.h"

#include "base/readable.h"
#include "base/strings.h"

namespace az {
namespace {

bool IsOutside(EndReason reason, const PlayerSpec& player) {
  switch (reason) {
    case EndReason::kRefused:
    case EndReason::kGone:
    case EndReason::kNoAnswer:
      return true;
    case EndReason::kTimeout:  // older journals use it also for no answer in games without a clock
      return player.settings.clock.empty();
    default:
      return false;
  }
}

}  // namespace

void AddOutside(const MatchReport& report, int side, const PlayerSpec& player, Forfeits& forfeits) {
  for (const auto& [reason, count] : report.forfeit_reasons(side)) {
    if (IsOutside(reason, player)) forfeits[reason] += count;
  }
}

std::string FaultText(const PlayerSpec& player, const Forfeits& forfeits) {
  std::vector<std::string> parts;
  for (const auto& [reason, count] : forfeits) {
    parts.push_back(StrCat(EndReasonName(reason), " ", count));
  }
  if (parts.empty()) return "";
  return StrCat("player ", Shown(player.text),
                " forfeited games for causes outside of the game: ", Join(parts, ", "));
}

std::vector<std::string> FaultsOf(const std::vector<ArenaPlayer>& players,
                                  const std::vector<PlayedMatch>& matches) {
  std::vector<std::string> faults;
  for (std::size_t number = 0; number < players.size(); ++number) {
    const PlayerSpec& player = players[number].spec;
    Forfeits forfeits;
    for (const PlayedMatch& match : matches) {
      if (match.meet.a == number) AddOutside(match.report, 0, player, forfeits);
      if (match.meet.b == number) AddOutside(match.report, 1, player, forfeits);
    }
    if (!forfeits.empty()) faults.push_back(FaultText(player, forfeits));
  }
  return faults;
}

}  // namespace az
