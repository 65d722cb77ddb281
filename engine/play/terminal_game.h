#pragma once
// TerminalGame: lets a person play against a player, watch it, or play both sides, in lines: moves
// by name, and commands (help lists them). Pure text; engine/play/line_runner.h has the
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

// The sides that the person plays.
struct PersonSides {
  std::array<bool, 2> plays = {true, false};
  bool Plays(Player player) const { return plays[static_cast<std::size_t>(player)]; }
};
// Reads "first" or "x", "second" or "o", "both", "none". Fails with kInvalid, listing these.
Result<PersonSides> ParsePersonSides(std::string_view text);

struct TerminalOptions {
  DrawingStyle style;
  PersonSides person;
  int level = 0;           // 1 to kMostLevel; 0: the player's own strength
  bool has_levels = true;  // false: the player has a single strength, so `level` stays 0
  std::uint64_t seed = 0;  // for the draws at a level
  bool echo = false;       // repeats the input, for input that no terminal shows
  std::string opponent;    // the player's name in the greeting
  // Writes a game to a path, for the command `save`.
  std::function<Result<void>(const NotedGame&, const GameOps&, const std::string& path)> save;
};

// Confined to one thread.
class TerminalGame final : public Dialogue {
 public:
  // Begins at the session's position, which may be any. REQUIRES: the thinker plays its game.
  TerminalGame(GameSession session, std::unique_ptr<Thinker> thinker,
               const TerminalOptions& options);

  // Writes the board, the player's first moves if it begins, and a prompt.
  DialogueNext Begin(LinePort& port) override;
  DialogueNext Handle(std::string_view line, LinePort& port) override;
  DialogueNext Refuse(std::string_view why, LinePort& port) override;
  Result<void> Idle() override { return thinker_->Idle(); }

  const GameSession& session() const { return session_; }

 private:
  // A command returns the text to write, or the error in its arguments.
  using Arguments = std::span<const std::string_view>;
  using Said = Result<std::string>;
  struct Command {
    std::string_view name;
    std::string_view usage;  // its arguments
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
  // Lets the player move until it is the person's turn or the game is over. Returns false when
  // nobody reads.
  bool LetPlayerMove(LinePort& port);
  Result<void> StartThinking();
  Result<Thought> ThinkAtLevel();
  bool IsOver() const { return resigned_.has_value() || session_.is_over(); }
  bool IsPlayersTurn() const { return !IsOver() && !options_.person.Plays(session_.to_move()); }
  // Plays the move and notes it. `thought`: the player's, if it made the move; otherwise null.
  Result<void> Play(Action action, const Thought* thought);
  NotedGame Record() const;
  std::string Picture() const;
  std::string Standing() const;
  std::string Prompt() const;
  std::string NameOf(Action action) const { return session_.position().MoveText(action); }

  GameSession session_;
  std::unique_ptr<Thinker> thinker_;  // never null
  TerminalOptions options_;
  std::unique_ptr<Position> before_;  // the position before the last move; null at the start
  std::vector<NotedMove> notes_;      // the moves, the player's own with its thoughts
  std::optional<Player> resigned_;
  bool is_waiting_ = false;  // the player does not move before the next line
  bool has_quit_ = false;
};

}  // namespace az
