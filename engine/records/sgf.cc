#include "engine/records/sgf.h"

#include "base/readable.h"
#include "base/strings.h"
#include "engine/records/sgf_dialect.h"
#include "engine/records/sgf_tree.h"
#include "games/points.h"
#include "games/registry.h"

namespace az {
namespace {

constexpr std::string_view kEndedBy = "ended by ";

Error NoSgf(const GameInfo& info) {
  return Error{Errc::kInvalid,
               StrCat("sgf has no form for ", info.entry, " (write its games as move lists)")};
}

std::string ResultText(const NotedGame& game) {
  if (!game.outcome) return game.reason == EndReason::kFailed ? "Void" : "?";
  if (*game.outcome == Outcome::kDraw) return "0";
  std::string text = *game.outcome == Outcome::kFirstWins ? "B+" : "W+";
  if (!game.reason) return text;
  if (*game.reason == EndReason::kResigned) return text + "R";
  if (*game.reason == EndReason::kTimeout) return text + "T";
  return IsForfeit(*game.reason) ? text + "F" : text;
}

// Reads a result: "B+R", "W+12.5", "0", "Draw", "Void" or "?"; anything else counts as unknown.
void ReadResult(std::string_view text, NotedGame& game) {
  if (text == "0" || text == "Draw") game.outcome = Outcome::kDraw;
  if (text.starts_with("B+")) game.outcome = Outcome::kFirstWins;
  if (text.starts_with("W+")) game.outcome = Outcome::kSecondWins;
  if (text == "Void") game.reason = EndReason::kFailed;
  if (!game.outcome || text.size() < 3) return;
  const std::string_view how = text.substr(2);
  if (how == "R" || how == "Resign") game.reason = EndReason::kResigned;
  if (how == "T" || how == "Time") game.reason = EndReason::kTimeout;
  if (how == "F" || how == "Forfeit") game.reason = EndReason::kIllegal;
}

// Reads a comment of the form "value 0.2500, 200 visits"; other comments are ignored.
void ReadNote(std::string_view text, NotedMove& move) {
  constexpr std::string_view kHead = "value ";
  constexpr std::string_view kTail = " visits";
  if (!text.starts_with(kHead) || !text.ends_with(kTail)) return;
  text.remove_suffix(kTail.size());
  const std::size_t comma = text.find(", ");
  if (comma == std::string_view::npos) return;
  double value = 0;
  std::uint64_t visits = 0;
  if (!ParseDouble(text.substr(kHead.size(), comma - kHead.size()), value)) return;
  if (!ParseUint(text.substr(comma + 2), visits) || visits > 0xFFFFFFFF) return;
  if (!(value >= -1 && value <= 1)) return;
  move.value = static_cast<float>(value);
  move.visits = static_cast<std::uint32_t>(visits);
}

Error AtLine(std::size_t line, std::string_view what) {
  return Error{Errc::kInvalid, StrCat("sgf line ", line, ": ", what)};
}

Result<void> ReadRoot(const SgfTree& tree, const SgfDialect& dialect, const GameOps& ops,
                      NotedGame& game) {
  const SgfNode& root = tree.nodes.front();
  const auto check = [&](std::string_view name, int expected, std::string_view otherwise,
                         std::string_view what) -> Result<void> {
    const SgfProperty* property = root.Find(name);
    const std::string_view text = property ? property->values.front() : otherwise;
    if (Trim(text) == StrCat(expected)) return {};
    return AtLine(property ? property->line : tree.line,
                  StrCat(what, " ", name, "[", Shown(text), "], but ", ops.info().entry, " is ",
                         name, "[", expected, "]"));
  };
  AZ_RETURN_IF_ERROR(check("GM", dialect.game_number, "1", "the game is"));
  AZ_RETURN_IF_ERROR(check("SZ", dialect.board_size, "(none)", "the board is"));
  const auto text = [&](std::string_view name) {
    const SgfProperty* property = root.Find(name);
    return property ? property->values.front() : std::string();
  };
  game.name = text("GN");
  game.players = {text("PB"), text("PW")};
  ReadResult(text("RE"), game);
  const std::string ended = text("GC");
  if (ended.starts_with(kEndedBy)) {
    const auto reason = ParseEndReason(std::string_view(ended).substr(kEndedBy.size()));
    if (reason) game.reason = reason;
  }
  const std::optional<double> own_komi = DefaultKomi(ops);
  const SgfProperty* komi = root.Find("KM");
  double points = 0;
  if (!own_komi || !komi) return {};
  if (!ParseDouble(Trim(komi->values.front()), points)) {
    return AtLine(komi->line, StrCat("komi '", Shown(komi->values.front()), "' is not a number"));
  }
  if (points != *own_komi) game.komi = points;
  return {};
}

// Reads one B or W property.
Result<void> ReadMove(const SgfProperty& property, const SgfDialect& dialect, Position& position,
                      NotedGame& game) {
  const std::string& point = property.values.front();
  if (position.FinalOutcome()) return AtLine(property.line, "a move after the end of the game");
  const Player mover = property.name == "B" ? Player::kFirst : Player::kSecond;
  if (dialect.is_hex && (point == "resign" || point == "forfeit")) {
    game.outcome = LossOf(mover);
    game.reason = EndReason::kResigned;
    return {};
  }
  const std::string number = StrCat("move ", game.moves.size() + 1);
  if (position.ToMove() != mover) {
    return AtLine(property.line,
                  StrCat(number, ", ", property.name, "[", Shown(point), "], is out of turn"));
  }
  const std::optional<std::string> text = dialect.FromSgf(point);
  if (!text) {
    return AtLine(property.line,
                  StrCat(number, ": '", Shown(point), "' is no point of this board"));
  }
  const Result<Action> action = position.ParseMove(Shown(*text));
  if (!action) return AtLine(property.line, StrCat(number, ": ", action.error().message));
  AZ_RETURN_IF_ERROR(position.Apply(*action));
  game.moves.push_back({.action = *action, .visits = 0, .value = 0});
  return {};
}

Result<NotedGame> ReadTree(const SgfTree& tree, const SgfDialect& dialect, const GameOps& ops) {
  NotedGame game{.entry = ops.info().entry};
  AZ_RETURN_IF_ERROR(ReadRoot(tree, dialect, ops, game));
  Result<std::unique_ptr<Position>> position = StartOf(game, ops);
  if (!position) return AtLine(tree.line, position.error().message);
  for (const SgfNode& node : tree.nodes) {
    const std::size_t before = game.moves.size();
    for (const SgfProperty& property : node.properties) {
      const std::string& name = property.name;
      if (name == "AB" || name == "AW" || name == "AE") {
        return AtLine(property.line,
                      StrCat(name, ": a position that was set up is no list of moves"));
      }
      if (name != "B" && name != "W") continue;
      AZ_RETURN_IF_ERROR(ReadMove(property, dialect, **position, game));
    }
    const SgfProperty* comment = node.Find("C");
    if (comment && game.moves.size() == before + 1) {
      ReadNote(comment->values.front(), game.moves.back());
    }
  }
  FillOutcome(**position, game);
  return game;
}

}  // namespace

Result<std::string> WriteSgf(const NotedGame& game, const GameOps& ops) {
  const std::optional<SgfDialect> dialect = SgfDialectOf(ops.info());
  if (!dialect) return NoSgf(ops.info());
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<Position> position, StartOf(game, ops));
  std::string text =
      StrCat("(;FF[4]GM[", dialect->game_number, "]SZ[", dialect->board_size, "]CA[UTF-8]AP[az]");
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += StrCat(name, "[", EscapeSgf(value), "]");
  };
  add("GN", game.name);
  add("PB", game.players[0]);
  add("PW", game.players[1]);
  const std::optional<double> komi = game.komi ? game.komi : DefaultKomi(ops);
  if (komi) add("KM", StrCat(*komi));
  add("RE", ResultText(game));
  if (game.reason) add("GC", StrCat(kEndedBy, EndReasonName(*game.reason)));
  for (const NotedMove& move : game.moves) {
    if (!position->IsLegal(move.action)) {
      return Error{Errc::kCorrupt, StrCat("write game ", game.name, ": action ",
                                          static_cast<int>(move.action), " is not legal")};
    }
    const std::string_view colour = position->ToMove() == Player::kFirst ? "B" : "W";
    text += StrCat("\n;", colour, "[", dialect->ToSgf(position->MoveText(move.action)), "]");
    if (move.visits > 0) {
      text += StrCat("C[value ", Fixed(move.value, 4), ", ", move.visits, " visits]");
    }
    AZ_RETURN_IF_ERROR(position->Apply(move.action));
  }
  return text + ")\n";
}

Result<SgfGames> ReadSgf(std::string_view text, const GameOps& ops) {
  const std::optional<SgfDialect> dialect = SgfDialectOf(ops.info());
  if (!dialect) return NoSgf(ops.info());
  AZ_ASSIGN_OR_RETURN(const std::vector<SgfTree> trees, ParseSgfTrees(text));
  SgfGames read;
  for (const SgfTree& tree : trees) {
    AZ_ASSIGN_OR_RETURN(NotedGame game, ReadTree(tree, *dialect, ops));
    read.games.push_back(std::move(game));
    read.branches_left_out += tree.branches_left_out;
  }
  return read;
}

}  // namespace az
