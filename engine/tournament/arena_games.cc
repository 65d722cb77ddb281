#include "engine/tournament/arena_games.h"

#include <optional>
#include <string>
#include <utility>

#include "base/files.h"
#include "base/strings.h"
#include "engine/arena/pairing.h"
#include "engine/arena/tournament.h"
#include "engine/records/game_text.h"
#include "engine/tournament/arena_identity.h"

namespace az {

Result<void> NameArenaPlayers(const std::filesystem::path& folder, RecordedGames& games) {
  AZ_ASSIGN_OR_RETURN(const std::optional<ArenaIdentity> identity, ReadArenaIdentity(folder));
  if (!identity) return {};
  AZ_ASSIGN_OR_RETURN(const TournamentFormat format, ParseFormat(identity->format));
  const std::vector<Meet> meets = MeetsOf(format, identity->players.size());
  for (RecordedGame& recorded : games.games) {
    const GameId id = recorded.id;
    if (id.kind() != GameKind::kMatch || id.iteration() >= meets.size()) continue;
    const Meet& meet = meets[id.iteration()];
    recorded.game.players = {identity->players[meet.a].text, identity->players[meet.b].text};
    if (FirstToMove(id.index()) == 1) {
      std::swap(recorded.game.players[0], recorded.game.players[1]);
    }
  }
  return {};
}

Result<void> WriteArenaGames(const std::filesystem::path& folder) {
  AZ_ASSIGN_OR_RETURN(RecordedGames read, ReadRecordedGames(folder, {}));
  AZ_RETURN_IF_ERROR(NameArenaPlayers(folder, read));
  const RecordFormat format = NaturalFormat(read.ops->info());
  std::string all;
  for (const RecordedGame& recorded : read.games) {
    if (recorded.conflicted) continue;
    Result<std::string> text = WriteGame(recorded.game, *read.ops, format);
    if (!text && text.error().code == Errc::kCorrupt) continue;
    if (!text) return std::move(text).error();
    all += *text;
  }
  return WriteFileAtomic(folder / StrCat("games", FileEnding(format)), all);
}

}  // namespace az
