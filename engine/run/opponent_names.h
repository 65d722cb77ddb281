#pragma once
// Whom the best network of a run met in the recorded games of its panel and its final matches.

#include <filesystem>

#include "base/result.h"
#include "engine/records/recorded_games.h"

namespace az {

// Gives the opponents in those games the names of the folder's matches.jsonl. A match that is not
// over is not in it: its games keep the name that they have. Fails as ReadMatches.
Result<void> NameOpponents(const std::filesystem::path& folder, RecordedGames& games);

}  // namespace az
