#pragma once
// az_inspect games: shows the finished games of a run or a match as a table or as JSON, or writes
// them out as SGF and move lists.

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
  // One file for all games when its name ends in .sgf or .txt, otherwise a folder with one file per
  // game.
  std::optional<std::filesystem::path> export_to;
  std::optional<RecordFormat> format;  // nullopt: by the file's name, or the game's natural one
};

// Returns the text to print: the table (an object with --json), or what was written where. Lines
// that begin with "note:" report damage. Fails as ReadRecordedGames and WriteFileAtomic do.
Result<std::string> InspectGames(const GamesRequest& request);

// Read the values of --kind and --format; "" gives nullopt. Fail with kInvalid.
Result<std::optional<GameKind>> KindOption(const std::string& text);
Result<std::optional<RecordFormat>> FormatOption(const std::string& text);

}  // namespace az
