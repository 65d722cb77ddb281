#pragma once
// Writes the games of an az_arena folder as text, with the players' names from arena.json.

#include <filesystem>

#include "base/result.h"
#include "engine/records/recorded_games.h"

namespace az {

// Gives the match games in `folder` the players' names of its arena.json; without that file they
// keep their names. Fails as ReadArenaIdentity does.
Result<void> NameArenaPlayers(const std::filesystem::path& folder, RecordedGames& games);

// Writes every game of the folder's journals into games.sgf, or into games.txt where SGF has no
// form for the game, replacing the file. Games whose moves do not fit are left out. Fails as
// ReadRecordedGames, NameArenaPlayers and WriteFileAtomic do.
Result<void> WriteArenaGames(const std::filesystem::path& folder);

}  // namespace az
