#include "engine/records/move_list.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "base/words.h"

namespace az {
namespace {

Error AtLine(std::size_t line, std::string_view what) {
  return Error{Errc::kInvalid, StrCat("line ", line, ": ", what)};
}

// A name on one line: without line ends, and without blanks around it.
std::string OneLine(std::string_view text) {
  std::string line(Trim(text));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

// Confined to one call: the games of a text, line by line.
class Reader {
 public:
  explicit Reader(const GameOps& ops) : ops_(ops) {}

  Result<void> Line(std::string_view line) {
    ++line_;
    line = Trim(line);
    if (line.starts_with('#')) return {};
    if (line.empty()) return EndGame();
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string word(line.substr(0, end));
    const std::string_view rest = Trim(line.substr(end));
    if (seen_.empty()) first_line_ = line_;
    if (!seen_.insert(word).second) {
      return AtLine(line_, StrCat("'", word, "' comes twice (an empty line ends a game)"));
    }
    return Say(word, rest);
  }

  Result<void> EndGame() {
    if (seen_.empty()) return {};
    if (!seen_.contains("moves")) return AtLine(first_line_, "a game without moves");
    if (!values_.empty()) AZ_RETURN_IF_ERROR(ReadValues());
    AZ_ASSIGN_OR_RETURN(const std::unique_ptr<Position> last, Play());
    FillOutcome(*last, game_);
    games_.push_back(std::move(game_));
    game_ = {};
    seen_.clear();
    moves_.clear();
    values_.clear();
    return {};
  }

  std::vector<NotedGame> TakeGames() { return std::move(games_); }

 private:
  Result<void> Say(const std::string& word, std::string_view rest) {
    if (word == "game") {
      if (rest == ops_.info().entry) return {};
      return AtLine(line_, StrCat("a game of '", rest, "', not of ", ops_.info().entry));
    }
    if (word == "name") {
      game_.name = rest;
    } else if (word == "first") {
      game_.players[0] = rest;
    } else if (word == "second") {
      game_.players[1] = rest;
    } else if (word == "komi") {
      double komi = 0;
      if (!ParseDouble(rest, komi)) return AtLine(line_, StrCat("komi '", rest, "' is no number"));
      game_.komi = komi;
    } else if (word == "result") {
      return ReadResult(rest);
    } else if (word == "moves") {
      moves_ = Words(rest);
      moves_line_ = line_;
    } else if (word == "values") {
      values_ = Words(rest);
      values_line_ = line_;
    } else {
      return AtLine(line_, StrCat("unknown word '", word,
                                  "' (there are game, name, first, second, komi, result, moves, "
                                  "values)"));
    }
    return {};
  }

  Result<void> ReadResult(std::string_view rest) {
    const std::vector<std::string_view> words = Words(rest);
    if (words.empty() || words.size() > 2) {
      return AtLine(line_, "result: an outcome expected, and perhaps how the game ended");
    }
    bool known = words[0] == OutcomeText(std::nullopt);
    for (const Outcome outcome : {Outcome::kFirstWins, Outcome::kDraw, Outcome::kSecondWins}) {
      if (words[0] != OutcomeText(outcome)) continue;
      game_.outcome = outcome;
      known = true;
    }
    if (!known) {
      return AtLine(line_, StrCat("result '", words[0], "' is none of 1-0, 0-1, 1/2-1/2, *"));
    }
    if (words.size() == 1) return {};
    game_.reason = ParseEndReason(words[1]);
    if (game_.reason) return {};
    return AtLine(line_, StrCat("no game ends by '", words[1], "'"));
  }

  Result<void> ReadValues() {
    if (values_.size() != moves_.size()) {
      return AtLine(values_line_, StrCat(values_.size(), " values for ", moves_.size(), " moves"));
    }
    return {};
  }

  Result<NotedMove> Note(std::size_t ply) const {
    NotedMove move;
    if (values_.empty() || values_[ply] == "-") return move;
    const std::string_view text = values_[ply];
    const std::size_t slash = std::min(text.find('/'), text.size() - 1);
    double value = 0;
    std::uint64_t visits = 0;
    if (!ParseDouble(text.substr(0, slash), value) || !(value >= -1 && value <= 1) ||
        !ParseUint(text.substr(slash + 1), visits) || visits > 0xFFFFFFFF) {
      return AtLine(values_line_, StrCat("'", text, "' is no value/visits, like 0.2500/200"));
    }
    move.value = static_cast<float>(value);
    move.visits = static_cast<std::uint32_t>(visits);
    return move;
  }

  Result<std::unique_ptr<Position>> Play() {
    game_.entry = ops_.info().entry;
    Result<std::unique_ptr<Position>> position = StartOf(game_, ops_);
    if (!position) return AtLine(first_line_, position.error().message);
    for (std::size_t ply = 0; ply < moves_.size(); ++ply) {
      const Result<Action> action = (*position)->ParseMove(moves_[ply]);
      if (!action) {
        return AtLine(moves_line_, StrCat("move ", ply + 1, ": ", action.error().message));
      }
      AZ_ASSIGN_OR_RETURN(NotedMove move, Note(ply));
      move.action = *action;
      game_.moves.push_back(move);
      AZ_RETURN_IF_ERROR((*position)->Apply(*action));
    }
    return position;
  }

  const GameOps& ops_;
  std::vector<NotedGame> games_;
  NotedGame game_;
  std::set<std::string> seen_;  // the words of this game so far
  std::vector<std::string_view> moves_;
  std::vector<std::string_view> values_;
  std::size_t line_ = 0;
  std::size_t first_line_ = 0;
  std::size_t moves_line_ = 0;
  std::size_t values_line_ = 0;
};

}  // namespace

Result<std::string> WriteMoveList(const NotedGame& game, const GameOps& ops) {
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<Position> position, StartOf(game, ops));
  std::string text = StrCat("game ", ops.info().entry, "\n");
  const auto add = [&](std::string_view word, const std::string& value) {
    if (!value.empty()) text += StrCat(word, " ", value, "\n");
  };
  add("name", OneLine(game.name));
  add("first", OneLine(game.players[0]));
  add("second", OneLine(game.players[1]));
  if (game.komi) add("komi", StrCat(*game.komi));
  add("result", StrCat(OutcomeText(game.outcome), game.reason ? " " : "",
                       game.reason ? EndReasonName(*game.reason) : ""));
  std::string moves = "moves";
  std::string values = "values";
  bool any_value = false;
  for (const NotedMove& move : game.moves) {
    if (!position->IsLegal(move.action)) {
      return Error{Errc::kCorrupt, StrCat("write game ", game.name, ": action ",
                                          static_cast<int>(move.action), " is not legal")};
    }
    moves += StrCat(" ", position->MoveText(move.action));
    any_value |= move.visits > 0;
    values += move.visits > 0 ? StrCat(" ", Fixed(move.value, 4), "/", move.visits) : " -";
    AZ_RETURN_IF_ERROR(position->Apply(move.action));
  }
  text += moves + "\n";
  if (any_value) text += values + "\n";
  return text + "\n";
}

Result<std::vector<NotedGame>> ReadMoveLists(std::string_view text, const GameOps& ops) {
  if (text.size() > kMaxMoveListBytes) {
    return Error{Errc::kInvalid, StrCat("move lists: ", text.size(), " bytes, the limit is ",
                                        kMaxMoveListBytes, " (split the file)")};
  }
  Reader reader(ops);
  for (const std::string_view line : Split(text, '\n')) AZ_RETURN_IF_ERROR(reader.Line(line));
  AZ_RETURN_IF_ERROR(reader.EndGame());
  std::vector<NotedGame> games = reader.TakeGames();
  if (games.empty()) return Error{Errc::kInvalid, "no game in this text"};
  return games;
}

}  // namespace az
