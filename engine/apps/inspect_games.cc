#include "engine/apps/inspect_games.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/strings.h"
#include "engine/run/opponent_names.h"
#include "engine/tournament/arena_games.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMovesShown = 6;

// The game's moves as people write them, up to the first illegal one.
std::vector<std::string> MovesOf(const NotedGame& game, const GameOps& ops, std::size_t most) {
  std::vector<std::string> moves;
  const std::unique_ptr<Position> position = ops.Start();
  for (const NotedMove& move : game.moves) {
    if (moves.size() == most || !position->IsLegal(move.action)) break;
    moves.push_back(position->MoveText(move.action));
    if (!position->Apply(move.action)) break;
  }
  return moves;
}

std::string_view ReasonOf(const RecordedGame& game) {
  return game.conflicted ? "conflicted" : EndReasonName(game.game.reason.value());
}

std::string Table(const RecordedGames& read) {
  std::vector<std::array<std::string, 7>> rows = {
      {"game", "first", "second", "plies", "result", "reason", "moves"}};
  for (const RecordedGame& recorded : read.games) {
    const NotedGame& game = recorded.game;
    std::string moves = Join(MovesOf(game, *read.ops, kMovesShown), " ");
    if (game.moves.size() > kMovesShown) moves += " ...";
    rows.push_back({game.name, game.players[0], game.players[1], StrCat(game.moves.size()),
                    std::string(OutcomeText(game.outcome)), std::string(ReasonOf(recorded)),
                    moves});
  }
  std::array<std::size_t, 7> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      text += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    }
    text += row.back() + "\n";
  }
  return text;
}

std::string AsJson(const RecordedGames& read) {
  Json games = Json::array();
  for (const RecordedGame& recorded : read.games) {
    const NotedGame& game = recorded.game;
    games.push_back({{"name", game.name},
                     {"kind", GameKindName(recorded.id.kind())},
                     {"iteration", recorded.id.iteration()},
                     {"index", recorded.id.index()},
                     {"first", game.players[0]},
                     {"second", game.players[1]},
                     {"plies", game.moves.size()},
                     {"result", OutcomeText(game.outcome)},
                     {"reason", ReasonOf(recorded)},
                     {"moves", MovesOf(game, *read.ops, game.moves.size())}});
  }
  const Json all = {{"game", read.ops->info().entry}, {"games", games}, {"notes", read.notes}};
  // Paths are bytes and need not be text.
  return all.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

RecordFormat FormatOf(const GamesRequest& request, const GameInfo& game) {
  if (request.format) return *request.format;
  for (const RecordFormat format : {RecordFormat::kSgf, RecordFormat::kMoves}) {
    if (request.export_to->extension() == FileEnding(format)) return format;
  }
  return NaturalFormat(game);
}

std::string FileNameOf(const RecordedGame& recorded, RecordFormat format) {
  std::string name = recorded.game.name;
  std::replace(name.begin(), name.end(), '/', '_');
  return name + std::string(FileEnding(format));
}

// Writes the games and says what was written.
Result<std::string> Export(const GamesRequest& request, const RecordedGames& read) {
  const std::filesystem::path& to = *request.export_to;
  const RecordFormat format = FormatOf(request, read.ops->info());
  const bool one_file = to.extension() == ".sgf" || to.extension() == ".txt";
  if (!one_file) AZ_RETURN_IF_ERROR(MakeDirectories(to));
  std::string all;
  std::size_t written = 0;
  std::size_t left_out = 0;
  for (const RecordedGame& recorded : read.games) {
    const Result<std::string> text = WriteGame(recorded.game, *read.ops, format);
    if (recorded.conflicted || (!text && text.error().code == Errc::kCorrupt)) {
      ++left_out;
      continue;
    }
    if (!text) return text.error();
    ++written;
    if (one_file) {
      all += *text;
    } else {
      AZ_RETURN_IF_ERROR(WriteFileAtomic(to / FileNameOf(recorded, format), *text));
    }
  }
  if (one_file) AZ_RETURN_IF_ERROR(WriteFileAtomic(to, all));
  std::string said = StrCat(written, " games written to ", to.string(), "\n");
  if (left_out > 0) said += StrCat("note: ", left_out, " games whose moves do not fit left out\n");
  return said;
}

}  // namespace

Result<std::string> InspectGames(const GamesRequest& request) {
  AZ_ASSIGN_OR_RETURN(RecordedGames read, ReadRecordedGames(request.dir, request.query));
  Result<void> named = NameArenaPlayers(request.dir, read);
  if (named) named = NameOpponents(request.dir, read);
  if (!named) read.notes.push_back(StrCat("players are not named: ", named.error().message));
  std::string text;
  if (request.export_to) {
    AZ_ASSIGN_OR_RETURN(text, Export(request, read));
  } else if (request.as_json) {
    return AsJson(read);
  } else {
    text = Table(read);
  }
  for (const std::string& note : read.notes) text += StrCat("note: ", note, "\n");
  return text;
}

Result<std::optional<GameKind>> KindOption(const std::string& text) {
  if (text.empty()) return std::optional<GameKind>();
  AZ_ASSIGN_OR_RETURN(const GameKind kind, ParseGameKind(text));
  return std::optional(kind);
}

Result<std::optional<RecordFormat>> FormatOption(const std::string& text) {
  if (text.empty()) return std::optional<RecordFormat>();
  AZ_ASSIGN_OR_RETURN(const RecordFormat format, ParseRecordFormat(text));
  return std::optional(format);
}

}  // namespace az
