#include "engine/data/game_log.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace az {

void GameLog::Add(JournalRecord&& record) {
  std::visit([this](auto&& known) { On(std::move(known)); }, std::move(record));
}

void GameLog::On(const GameStarted& started) {
  if (!IsFinished(started.id)) open_.try_emplace(started.id);
}

void GameLog::On(MovePlayed&& played) {
  if (IsFinished(played.id)) {
    ++counts_.repeated_moves;
    return;
  }
  const auto game = open_.try_emplace(played.id).first;
  const auto [known, is_new] = game->second.moves.try_emplace(played.move.ply);
  if (is_new) {
    ++counts_.moves;
    known->second = std::move(played.move);
    FinishIfWhole(game);
  } else if (known->second.action == played.move.action) {
    ++counts_.repeated_moves;
  } else {
    ++counts_.conflicting_moves;
    game->second.conflicted = true;
  }
}

void GameLog::On(const GameEnded& ended) {
  if (IsFinished(ended.id)) {
    ++counts_.repeated_ends;
    return;
  }
  const auto game = open_.try_emplace(ended.id).first;
  if (game->second.end.has_value()) {
    ++counts_.repeated_ends;
    return;
  }
  game->second.end = ended;
  FinishIfWhole(game);
}

void GameLog::FinishIfWhole(std::map<GameId, OpenGame>::iterator game) {
  auto& [moves, end, conflicted] = game->second;
  // Plies are distinct and rising: `plies` of them below `plies` are all of them.
  if (!end.has_value() || moves.size() < end->plies) return;
  const auto beyond = moves.lower_bound(end->plies);
  if (std::distance(moves.begin(), beyond) < end->plies) return;
  StitchedGame stitched;
  stitched.conflicted = conflicted || beyond != moves.end();
  stitched.game.id = game->first;
  stitched.game.outcome = end->outcome;
  stitched.game.reason = end->reason;
  stitched.game.moves.reserve(end->plies);
  for (auto move = moves.begin(); move != beyond; ++move) {
    stitched.game.moves.push_back(std::move(move->second));
  }
  const std::uint64_t id = game->first.packed;
  finished_[id / 64] |= std::uint64_t{1} << (id % 64);
  ++counts_.finished;
  if (end->reason == EndReason::kFailed) ++counts_.failed;
  open_.erase(game);
  on_finished_(std::move(stitched));
}

bool GameLog::IsFinished(GameId id) const {
  const auto word = finished_.find(id.packed / 64);
  return word != finished_.end() && (word->second >> (id.packed % 64) & 1) != 0;
}

std::uint16_t GameLog::WholePlies(const OpenGame& game) {
  std::uint16_t plies = 0;
  for (const auto& [ply, move] : game.moves) {
    if (ply != plies) break;
    ++plies;
  }
  return plies;
}

std::vector<Action> GameLog::CommittedActions(GameId id) const {
  std::vector<Action> actions;
  const auto game = open_.find(id);
  if (game == open_.end()) return actions;
  const auto& moves = game->second.moves;
  const auto beyond = moves.lower_bound(WholePlies(game->second));
  for (auto move = moves.begin(); move != beyond; ++move) actions.push_back(move->second.action);
  return actions;
}

std::optional<std::uint16_t> GameLog::FirstResignable(GameId id, double threshold) const {
  const auto game = open_.find(id);
  if (game == open_.end()) return std::nullopt;
  const auto& moves = game->second.moves;
  const auto beyond = moves.lower_bound(WholePlies(game->second));
  for (auto move = moves.begin(); move != beyond; ++move) {
    const MoveRecord& record = move->second;
    const bool is_noted = (record.flags & kMoveResignable) != 0;
    if (is_noted && static_cast<double>(record.root_value) <= -threshold) return record.ply;
  }
  return std::nullopt;
}

std::size_t GameLog::ForgetBeyondGaps() {
  std::size_t games = 0;
  for (auto& [id, game] : open_) {
    const auto beyond = game.moves.lower_bound(WholePlies(game));
    if (beyond == game.moves.end() && !game.end.has_value()) continue;
    ++games;
    game.moves.erase(beyond, game.moves.end());
    game.end.reset();
  }
  return games;
}

std::vector<GameId> GameLog::OpenGames(GameKind kind, std::uint32_t iteration) const {
  std::vector<GameId> games;
  const GameId last = GameId::Make(kind, iteration, 0xFFFFFFFF);
  for (auto game = open_.lower_bound(GameId::Make(kind, iteration, 0));
       game != open_.end() && game->first <= last; ++game) {
    games.push_back(game->first);
  }
  return games;
}

void GameLog::DropOpenGames(GameKind kind, std::uint32_t iteration) {
  open_.erase(open_.lower_bound(GameId::Make(kind, iteration, 0)),
              open_.upper_bound(GameId::Make(kind, iteration, 0xFFFFFFFF)));
}

std::vector<GameId> GameLog::FinishedGames(GameKind kind, std::uint32_t iteration) const {
  std::vector<GameId> games;
  const std::uint64_t first_word = GameId::Make(kind, iteration, 0).packed / 64;
  const std::uint64_t last_word = GameId::Make(kind, iteration, 0xFFFFFFFF).packed / 64;
  for (const auto& [word, bits] : finished_) {
    if (word < first_word || word > last_word) continue;
    for (std::uint64_t rest = bits; rest != 0; rest &= rest - 1) {
      games.push_back(GameId{word * 64 + static_cast<std::uint64_t>(std::countr_zero(rest))});
    }
  }
  std::sort(games.begin(), games.end());
  return games;
}

std::vector<GameId> GameLog::GamesWithGaps() const {
  std::vector<GameId> games;
  for (const auto& [id, game] : open_) {
    if (game.end.has_value()) games.push_back(id);
  }
  return games;
}

}  // namespace az
