#pragma once
// TerminalGame: a person plays against a player (or watches it, or plays both sides), by lines:
// moves by name, and commands (help lists them). Pure text; engine/play/line_runner.h has the
// descriptors.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "engine/play/board_drawing.h"
#include "engine/play/dialogue.h"
#include "engine/play/game_session.h"
#include "engine/play/thinker.h"
#include "engine/records/noted_game.h"

namespace az {

// Which moves are the person's, by player.
struct PersonSides {
  std::array<bool, 2> plays = {true, false};
  bool Plays(Player player) const { return plays[static_cast<std::size_t>(player)]; }
};
// "first" or "x", "second" or "o", "both", "none". kInvalid lists these.
Result<PersonSides> ParsePersonSides(std::string_view text);

struct TerminalOptions {
  DrawingStyle style;
  PersonSides person;
  int level = 0;           // 1 to kMostLevel; 0: as the player is set up
  bool has_levels = true;  // of the player; false: `level` is 0, and stays so
  std::uint64_t seed = 0;  // of draws at a level
  bool echo = false;       // writes what was read: for input that no terminal shows
  std::string opponent;    // as the greeting names it
  // Writes a record to a path; what `save` does.
  std::function<Result<void>(const NotedGame&, const GameOps&, const std::string& path)> save;
};

// Confined to one thread.
class TerminalGame final : public Dialogue {
 public:
  // The session at any position, whose game the thinker plays.
  TerminalGame(GameSession session, std::unique_ptr<Thinker> thinker,
               const TerminalOptions& options);

  // The board, the player's first moves if it begins, and a prompt.
  DialogueNext Begin(LinePort& port) override;
  DialogueNext Handle(std::string_view line, LinePort& port) override;
  DialogueNext Refuse(std::string_view why, LinePort& port) override;
  Result<void> Idle() override { return thinker_->Idle(); }

  const GameSession& session() const { return session_; }

 private:
  // A command says something, or what was wrong with it.
  using Arguments = std::span<const std::string_view>;
  using Said = Result<std::string>;
  struct Command {
    std::string_view name;
    std::string_view usage;  // of its arguments
    std::string_view what;
    Said (TerminalGame::*handler)(Arguments);
  };
  static std::span<const Command> Commands();

  Said Help(Arguments);
  Said Board(Arguments);
  Said Moves(Arguments);
  Said Hint(Arguments);
  Said Analyse(Arguments arguments);
  Said Undo(Arguments);
  Said Level(Arguments arguments);
  Said Side(Arguments arguments);
  Said NewGame(Arguments);
  Said Save(Arguments arguments);
  Said Resign(Arguments);
  Said Quit(Arguments);

  Said PersonMoves(std::string_view name);
  Said UnknownWord(std::string_view word) const;
  // Moves of the player, until it is the person's turn or the game is over. False: nobody reads.
  bool LetPlayerMove(LinePort& port);
  Result<void> StartThinking();
  Result<Thought> ThinkAtLevel();
  bool IsOver() const { return resigned_.has_value() || session_.is_over(); }
  bool IsPlayersTurn() const { return !IsOver() && !options_.person.Plays(session_.to_move()); }
  // Plays the move and notes it. `thought`: of the player, when the move is its; may be null.
  Result<void> Play(Action action, const Thought* thought);
  NotedGame Record() const;
  std::string Picture() const;
  std::string Standing() const;
  std::string Prompt() const;
  std::string NameOf(Action action) const { return session_.position().MoveText(action); }

  GameSession session_;
  std::unique_ptr<Thinker> thinker_;  // never null
  TerminalOptions options_;
  std::unique_ptr<Position> before_;  // the last move; null at the start
  std::vector<NotedMove> notes_;      // of the moves, with what the player thought of its own
  std::optional<Player> resigned_;
  bool is_waiting_ = false;  // the player is not asked to move before the next line
  bool has_quit_ = false;
};

}  // namespace az
