#pragma once
// az_inspect games: the finished games of a run or a match, as a table, as JSON, or written out as
// SGF and move lists.

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/records/game_text.h"
#include "engine/records/recorded_games.h"

namespace az {

struct GamesRequest {
  std::filesystem::path dir;
  RecordsQuery query;
  bool as_json = false;
  // A file for all games when its name ends in .sgf or .txt, otherwise a folder with a file a game.
  std::optional<std::filesystem::path> export_to;
  std::optional<RecordFormat> format;  // unset: by the file's name, or the game's natural one
};

// What to print: the table (an object with --json), or what was written where. Damage is told of in
// lines that begin with "note:". Fails as ReadRecordedGames and WriteFileAtomic.
Result<std::string> InspectGames(const GamesRequest& request);

// The command line's words: a kind or a format, where given. kInvalid.
Result<std::optional<GameKind>> KindOption(const std::string& text);
Result<std::optional<RecordFormat>> FormatOption(const std::string& text);

}  // namespace az
