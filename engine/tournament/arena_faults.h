#pragma once
// Forfeits that say nothing about strength. They are reported beside the score, which would mislead
// a reader who does not know of them.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/tournament/arena_setup.h"

namespace az {

// The games that a player forfeited, by reason.
using Forfeits = std::map<EndReason, std::int64_t>;

// Adds the forfeits of a match, in which the player had that side, with a cause outside of the
// game: its program refused a command, crashed or hung, or the position was too large for its
// solver. An illegal move and a fallen flag are part of the game.
void AddOutside(const MatchReport& report, int side, const PlayerSpec& player, Forfeits& forfeits);
// The warning about a player's forfeits: "player X forfeited games for causes outside of the game:
// refused 2"; empty when there are none.
std::string FaultText(const PlayerSpec& player, const Forfeits& forfeits);

// The warnings of all players that have one, over all matches.
std::vector<std::string> FaultsOf(const std::vector<ArenaPlayer>& players,
                                  const std::vector<PlayedMatch>& matches);

}  // namespace az
