#include "engine/loop/arena_faults.h"

#include <cstdint>
#include <map>

#include "base/readable.h"
#include "base/strings.h"

namespace az {
namespace {

bool IsOutside(EndReason reason, const PlayerSpec& player) {
  switch (reason) {
    case EndReason::kRefused:
    case EndReason::kGone:
      return true;
    case EndReason::kTimeout:
      return player.settings.clock.empty();
    default:
      return false;
  }
}

}  // namespace

std::vector<std::string> FaultsOf(const std::vector<ArenaPlayer>& players,
                                  const std::vector<PlayedMatch>& matches) {
  std::vector<std::string> faults;
  for (std::size_t number = 0; number < players.size(); ++number) {
    const PlayerSpec& player = players[number].spec;
    std::map<EndReason, std::int64_t> games;
    for (const PlayedMatch& match : matches) {
      for (const int side : {0, 1}) {
        if ((side == 0 ? match.meet.a : match.meet.b) != number) continue;
        for (const auto& [reason, count] : match.report.forfeit_reasons(side)) {
          if (IsOutside(reason, player)) games[reason] += count;
        }
      }
    }
    std::vector<std::string> parts;
    for (const auto& [reason, count] : games) {
      parts.push_back(StrCat(EndReasonName(reason), " ", count));
    }
    if (parts.empty()) continue;
    faults.push_back(
        StrCat("player ", Shown(player.text),
               " forfeited games for causes outside of the game: ", Join(parts, ", ")));
  }
  return faults;
}

}  // namespace az
