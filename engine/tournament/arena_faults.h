#pragma once
// Forfeits of a tournament that tell nothing of strength: who reads the score alone must be told.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/tournament/arena_setup.h"

namespace az {

// Games that a player forfeited, by reason.
using Forfeits = std::map<EndReason, std::int64_t>;

// Adds those of a match, where the player had that side, that have a cause outside of the game: its
// program refused a command, died or hung, or the position was too large for its solver. An illegal
// move and a fallen flag are of the game.
void AddOutside(const MatchReport& report, int side, const PlayerSpec& player, Forfeits& forfeits);
// "player X forfeited games for causes outside of the game: refused 2"; empty when there are none.
std::string FaultText(const PlayerSpec& player, const Forfeits& forfeits);

// FaultText of each player that has one, over all matches.
std::vector<std::string> FaultsOf(const std::vector<ArenaPlayer>& players,
                                  const std::vector<PlayedMatch>& matches);

}  // namespace az
