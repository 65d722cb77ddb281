#include "engine/records/game_text.h"

#include "base/strings.h"
#include "engine/records/move_list.h"
#include "engine/records/sgf.h"
#include "engine/records/sgf_dialect.h"

namespace az {

RecordFormat NaturalFormat(const GameInfo& game) {
  return SgfDialectOf(game) ? RecordFormat::kSgf : RecordFormat::kMoves;
}

Result<RecordFormat> ParseRecordFormat(std::string_view name) {
  if (name == "sgf") return RecordFormat::kSgf;
  if (name == "moves") return RecordFormat::kMoves;
  return Error{Errc::kInvalid, StrCat("no format is named '", name, "' (there are sgf, moves)")};
}

std::string_view FileEnding(RecordFormat format) {
  return format == RecordFormat::kSgf ? ".sgf" : ".txt";
}

Result<std::string> WriteGame(const NotedGame& game, const GameOps& ops, RecordFormat format) {
  return format == RecordFormat::kSgf ? WriteSgf(game, ops) : WriteMoveList(game, ops);
}

Result<GamesRead> ReadGames(std::string_view text, const GameOps& ops) {
  const std::string_view trimmed = Trim(text);
  GamesRead read;
  if (trimmed.starts_with('(') || trimmed.starts_with("\xEF\xBB\xBF(")) {
    AZ_ASSIGN_OR_RETURN(SgfGames sgf, ReadSgf(text, ops));
    read.games = std::move(sgf.games);
    if (sgf.branches_left_out > 0) {
      read.notes.push_back(
          StrCat(sgf.branches_left_out, " variations left out: only main lines are read"));
    }
    return read;
  }
  AZ_ASSIGN_OR_RETURN(read.games, ReadMoveLists(text, ops));
  return read;
}

}  // namespace az
