#pragma once
// GameSession: one game as a person or a controller goes through it: the moves since the start,
// playing them by name, taking them back. Shared by GTP and the terminal; does no thinking or
// output.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "games/game.h"
#include "games/game_ops.h"

namespace az {

// Does not own the game, which lives as long as the process (FindGame). Thread-compatible.
class GameSession {
 public:
  // Fails as GameOps::Start does for options that the game does not have.
  static Result<GameSession> Create(const GameOps& game, const StartOptions& options = {});

  const GameOps& game() const { return *game_; }
  const StartOptions& options() const { return options_; }
  const Position& position() const { return *position_; }
  std::span<const Action> moves() const { return moves_; }
  // The moves as a person writes them.
  const std::vector<std::string>& names() const { return names_; }
  Player to_move() const { return position_->ToMove(); }
  bool is_over() const { return position_->FinalOutcome().has_value(); }

  // The legal moves' names, by rising action.
  std::vector<std::string> LegalNames() const;
  // The legal move of that name, in upper or lower case. Fails with kInvalid, naming some legal
  // moves.
  Result<Action> Find(std::string_view name) const;
  // Plays a move. Fails with kInvalid, changing nothing, when it is illegal.
  Result<void> Play(Action action);
  // Takes back the last `plies` plies. REQUIRES: 0 <= plies <= moves().size().
  void Undo(std::size_t plies);
  void Restart();
  // Changes the options and keeps the moves. Nothing changes on an error.
  Result<void> SetOptions(const StartOptions& options);

 private:
  GameSession(const GameOps& game, const StartOptions& options, std::unique_ptr<Position> start)
      : game_(&game), options_(options), position_(std::move(start)) {}
  // Replays the first `plies` moves. REQUIRES: the options suit the game and the moves are legal.
  void Rebuild(const StartOptions& options, std::size_t plies);

  const GameOps* game_;
  StartOptions options_;
  std::unique_ptr<Position> position_;
  std::vector<Action> moves_;
  std::vector<std::string> names_;
};

}  // namespace az
