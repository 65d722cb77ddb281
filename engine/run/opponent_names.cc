#include "engine/run/opponent_names.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/arena/pairing.h"
#include "engine/run/match_history.h"

namespace az {

Result<void> NameOpponents(const std::filesystem::path& folder, RecordedGames& games) {
  AZ_ASSIGN_OR_RETURN(std::vector<HistoricMatch> matches, ReadMatches(folder / kMatchesFile));
  std::map<std::pair<GameKind, std::uint32_t>, std::string> opponents;
  for (HistoricMatch& match : matches) {
    if (match.kind == GameKind::kGate) continue;  // its games are the candidate's against the best
    opponents.try_emplace({match.kind, match.match}, std::move(match.b));
  }
  for (RecordedGame& recorded : games.games) {
    const auto opponent = opponents.find({recorded.id.kind(), recorded.id.iteration()});
    if (opponent == opponents.end()) continue;
    const bool moves_first = FirstToMove(recorded.id.index()) == 1;
    recorded.game.players[moves_first ? 0 : 1] = opponent->second;
  }
  return {};
}

}  // namespace az
