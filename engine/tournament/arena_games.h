#pragma once
// The games of an az_arena folder as text, with the players' names from arena.json.

#include <filesystem>

#include "base/result.h"
#include "engine/records/recorded_games.h"

namespace az {

// Gives match games in `folder` the names of arena.json, where it has one; otherwise they keep
// those that they have. Fails as ReadArenaIdentity.
Result<void> NameArenaPlayers(const std::filesystem::path& folder, RecordedGames& games);

// Writes every game of the folder's journals into games.sgf, or games.txt where SGF has no form for
// the game, over the file that is there. Games whose moves do not fit are left out. Fails as
// ReadRecordedGames, NameArenaPlayers, WriteFileAtomic.
Result<void> WriteArenaGames(const std::filesystem::path& folder);

}  // namespace az
