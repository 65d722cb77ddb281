#include "engine/play/game_session.h"

#include <utility>

#include "base/check.h"
#include "base/words.h"

namespace az {

Result<GameSession> GameSession::Create(const GameOps& game, const StartOptions& options) {
  AZ_ASSIGN_OR_RETURN(std::unique_ptr<Position> start, game.Start(options));
  return GameSession(game, options, std::move(start));
}

std::vector<std::string> GameSession::LegalNames() const {
  std::vector<std::string> names;
  for (const Action action : position_->LegalActions())
    names.push_back(position_->MoveText(action));
  return names;
}

Result<Action> GameSession::Find(std::string_view name) const {
  return position_->ParseMove(LowerCase(name));
}

Result<void> GameSession::Play(Action action) {
  if (!position_->IsLegal(action)) return position_->Apply(action);  // its error names legal moves
  names_.push_back(position_->MoveText(action));
  moves_.push_back(action);
  return position_->Apply(action);
}

void GameSession::Undo(std::size_t plies) {
  AZ_CHECK(plies <= moves_.size());
  Rebuild(options_, moves_.size() - plies);
}

void GameSession::Restart() { Rebuild(options_, 0); }

Result<void> GameSession::SetOptions(const StartOptions& options) {
  AZ_RETURN_IF_ERROR(game_->Start(options));
  Rebuild(options, moves_.size());
  return {};
}

void GameSession::Rebuild(const StartOptions& options, std::size_t plies) {
  moves_.resize(plies);
  names_.resize(plies);
  options_ = options;
  position_ = game_->Start(options).value();
  for (const Action action : moves_) AZ_CHECK(position_->Apply(action).has_value());
}

}  // namespace az
