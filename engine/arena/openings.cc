#include "engine/arena/openings.h"

#include <algorithm>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "base/crc32c.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/readable.h"
#include "base/strings.h"
#include "engine/records/game_text.h"

namespace az {
namespace {

constexpr int kMostPlies = 100;
constexpr std::uint32_t kAttempts = 16;

// The result that can be forced within `plies`, for the side to move: +1 it wins, -1 it loses, 0
// neither. Alpha-beta: exact between the bounds.
int Forced(const Position& position, int plies, int alpha = -1, int beta = 1) {
  if (const std::optional<Outcome> outcome = position.FinalOutcome()) {
    return ValueFor(*outcome, position.ToMove());
  }
  if (plies == 0) return 0;
  int best = -1;
  for (const Action action : position.LegalActions()) {
    const std::unique_ptr<Position> next = position.Clone();
    AZ_CHECK(next->Apply(action).has_value());
    const int value = next->ToMove() == position.ToMove()
                          ? Forced(*next, plies - 1, alpha, beta)
                          : -Forced(*next, plies - 1, -beta, -alpha);
    best = std::max(best, value);
    alpha = std::max(alpha, best);
    if (alpha >= beta) break;
  }
  return best;
}

std::vector<std::string_view> MovesOf(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> moves;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(" \t\r,", at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t\r,", at), line.size());
    moves.push_back(line.substr(at, end - at));
    at = end;
  }
  return moves;
}

Result<std::vector<Action>> ReadLine(const std::vector<std::string_view>& moves,
                                     const GameOps& game) {
  const std::unique_ptr<Position> position = game.Start();
  std::vector<Action> opening;
  for (const std::string_view move : moves) {
    const Result<Action> action = position->ParseMove(Shown(move));
    if (!action) return WithContext(StrCat("move ", opening.size() + 1), action.error());
    AZ_RETURN_IF_ERROR(position->Apply(*action));
    opening.push_back(*action);
    if (position->FinalOutcome()) {
      return Error{Errc::kInvalid,
                   StrCat("the game is over after move ", opening.size(), " (", move, ")")};
    }
  }
  return opening;
}

// Reads the main lines of a collection.
Result<std::vector<std::vector<Action>>> ReadSgfOpenings(std::string_view text,
                                                         const GameOps& game) {
  AZ_ASSIGN_OR_RETURN(const GamesRead read, ReadGames(text, game));
  std::vector<std::vector<Action>> openings;
  for (const NotedGame& line : read.games) {
    std::vector<Action> opening;
    for (const NotedMove& move : line.moves) opening.push_back(move.action);
    AZ_ASSIGN_OR_RETURN(const std::unique_ptr<Position> last, game.Replay(opening));
    if (last->FinalOutcome()) {
      return Error{Errc::kInvalid, StrCat("game ", openings.size() + 1,
                                          " is played to its end, which is no opening")};
    }
    if (!opening.empty()) openings.push_back(std::move(opening));
  }
  return openings;
}

// Reads one opening per line; `name` is the file's, for errors.
Result<std::vector<std::vector<Action>>> ReadListedOpenings(std::string_view text,
                                                            const std::string& name,
                                                            const GameOps& game) {
  std::vector<std::vector<Action>> openings;
  int number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    const std::vector<std::string_view> moves = MovesOf(line);
    if (moves.empty()) continue;
    Result<std::vector<Action>> opening = ReadLine(moves, game);
    if (!opening) {
      return Error{Errc::kInvalid, StrCat(name, ":", number, ": ", opening.error().message)};
    }
    openings.push_back(std::move(opening).value());
  }
  return openings;
}

}  // namespace

bool IsDecided(const Position& position, int plies) {
  return position.FinalOutcome().has_value() || Forced(position, plies) != 0;
}

Result<std::vector<std::vector<Action>>> ReadOpenings(const std::filesystem::path& file,
                                                      const GameOps& game) {
  AZ_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  const bool is_sgf = Trim(text).starts_with('(');
  Result<std::vector<std::vector<Action>>> openings =
      is_sgf ? ReadSgfOpenings(text, game) : ReadListedOpenings(text, file.string(), game);
  if (!openings && is_sgf) return WithContext(file.string(), std::move(openings).error());
  if (openings && openings->empty()) {
    return Error{Errc::kInvalid,
                 StrCat(file.string(), " holds no opening (one a line, such as ",
                        game.Start()->MoveText(game.Start()->LegalActions()[0]), ")")};
  }
  return openings;
}

Result<OpeningBook> OpeningBook::Make(std::string_view text, const GameOps& game,
                                      std::uint64_t seed) {
  constexpr std::string_view kPlies = "plies=";
  if (text.starts_with(kPlies)) {
    std::uint64_t plies = 0;
    const std::uint64_t most =
        static_cast<std::uint64_t>(std::min(kMostPlies, game.info().max_plies - 1));
    if (!ParseUint(text.substr(kPlies.size()), plies) || plies > most) {
      return Error{Errc::kInvalid, StrCat("openings ", text, ": plies must be from 0 to ", most,
                                          " in ", game.info().entry)};
    }
    OpeningBook book(game, static_cast<int>(plies), seed);
    book.identity_ = StrCat(kPlies, plies, "+");
    return book;
  }
  const std::filesystem::path file(text);
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    return Error{Errc::kInvalid,
                 StrCat("openings ", Shown(text), ": a folder (openings are plies=N or a file)")};
  }
  Result<std::vector<std::vector<Action>>> lines = ReadOpenings(file, game);
  if (!lines) {
    Error error = std::move(lines).error();
    if (error.code == Errc::kNotFound) error.message += " (openings are plies=N or a file)";
    return error;
  }
  OpeningBook book(game, 0, seed);
  book.lines_ = std::move(lines).value();
  std::uint32_t crc = 0;
  for (const std::vector<Action>& line : book.lines_) {
    crc = Crc32cExtend(crc, std::as_bytes(std::span(line)));
    crc = Crc32cExtend(crc, std::as_bytes(std::span(kPlies)));  // separates the lines
  }
  book.identity_ = StrCat(file.filename().string(), ", ", book.lines_.size(), " openings, ", crc);
  return book;
}

std::vector<Action> OpeningBook::Opening(std::uint32_t pair) const {
  if (!lines_.empty()) return lines_[pair % lines_.size()];
  std::vector<Action> opening;
  for (std::uint32_t attempt = 0; attempt < kAttempts; ++attempt) {
    const std::uint64_t seed = attempt == 0 ? seed_ : HashCombine(seed_, attempt);
    opening = OpeningDealer(*game_, plies_, seed).Opening(pair);
    const Result<std::unique_ptr<Position>> position = game_->Replay(opening);
    AZ_CHECK(position.has_value());
    if (!IsDecided(**position, kQuietPlies)) break;
  }
  return opening;
}

}  // namespace az
