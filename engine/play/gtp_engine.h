#pragma once
// GtpEngine: a player that speaks the Go Text Protocol, version 2, for every game of the registry:
// each line of input gets one answer. Knows no file descriptors; engine/play/line_runner.h has
// them.
//
// Black is the first player, white the second. Moves have the names that the game gives them, in
// upper or lower case (docs/az_play.md). Where a controller lets one side move twice, the other
// side counts as having passed, if the rules allow a pass there; otherwise the move is illegal.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/play/dialogue.h"
#include "engine/play/game_session.h"
#include "engine/play/gtp_analysis.h"
#include "engine/play/gtp_line.h"
#include "engine/play/thinker.h"
#include "engine/players/time_control.h"
#include "games/game_ops.h"

namespace az {

// Makes the player for a game; fails where the player plays another one.
using MakeThinker = std::function<Result<std::unique_ptr<Thinker>>(const GameOps&)>;

struct GtpOptions {
  std::string name = "az";
  std::string version = "1";
  // Resigns after `resign_streak` moves of its own in a row with a value of at most minus this; 0:
  // never.
  double resign_threshold = 0.0;
  int resign_streak = 3;
  std::optional<TimeControl> clock;  // each side's, until the controller sets another
};

// Confined to one thread.
class GtpEngine final : public Dialogue {
 public:
  // Makes the engine at the start of a game. The clock outlives it. Fails as `make_thinker` does.
  static Result<GtpEngine> Create(const GameOps& game, MakeThinker make_thinker,
                                  const GtpOptions& options, const Clock& clock);

  DialogueNext Begin(LinePort&) override { return DialogueNext::kGoOn; }
  // Thinks for as long as the command asks. Analyses end when the port has input. Returns kQuit
  // after quit, and when nobody reads the answers.
  DialogueNext Handle(std::string_view line, LinePort& port) override;
  DialogueNext Refuse(std::string_view why, LinePort& port) override;
  Result<void> Idle() override { return thinker_->Idle(); }

  const GameSession& session() const { return session_; }

 private:
  struct Reply {
    GtpStatus status = GtpStatus::kSuccess;
    std::string text;
    bool is_written = false;  // already written, except for the empty line at the end
  };
  struct Call {
    const GtpCommand& command;
    LinePort& port;
    const std::vector<std::string>& arguments() const { return command.arguments; }
  };
  using Handler = Reply (GtpEngine::*)(const Call&);
  struct Entry {
    std::string_view name;
    Handler handler;
  };
  GtpEngine(GameSession session, std::unique_ptr<Thinker> thinker, MakeThinker make_thinker,
            const GtpOptions& options, const Clock& clock);

  static std::span<const Entry> Commands();
  static Reply Ok(std::string text = {}) { return {.text = std::move(text)}; }
  static Reply Fail(std::string text) { return {GtpStatus::kFailure, std::move(text)}; }

  // gtp_engine.cc: the protocol itself, board and rules
  Reply ProtocolVersion(const Call&);
  Reply Name(const Call&);
  Reply Version(const Call&);
  Reply KnownCommand(const Call&);
  Reply ListCommands(const Call&);
  Reply Quit(const Call&);
  Reply BoardSize(const Call&);
  Reply ClearBoard(const Call&);
  Reply Komi(const Call&);
  Reply NoHandicap(const Call&);
  // gtp_moves.cc
  Reply PlayMove(const Call&);
  Reply GenMove(const Call&);
  Reply RegGenMove(const Call&);
  Reply Undo(const Call&);
  Reply TimeSettings(const Call&);
  Reply TimeLeft(const Call&);
  Reply LzAnalyze(const Call&);
  Reply KataAnalyze(const Call&);
  Reply LzGenMoveAnalyze(const Call&);
  Reply KataGenMoveAnalyze(const Call&);
  // gtp_position.cc: what is told about the position
  Reply ShowBoard(const Call&);
  Reply FinalScore(const Call&);
  Reply FinalStatusList(const Call&);
  Reply AllLegal(const Call&);
  Reply RulesGameId(const Call&);
  Reply RulesBoard(const Call&);
  Reply RulesBoardSize(const Call&);
  Reply RulesSideToMove(const Call&);
  Reply RulesLegalMoves(const Call&);
  Reply RulesFinalResult(const Call&);

  // gtp_records.cc
  Reply LoadSgf(const Call&);
  Reply PrintSgf(const Call&);

  // Resets `thinker_` and everything counted since the start, for a new game. Nothing changes on an
  // error.
  Result<void> StartGame(const StartOptions& start);
  Reply Analyze(const Call& call, GtpAnalysisForm form);
  // Carries out genmove, with a line of analysis now and then if a form is given.
  Reply Generate(const Call& call, std::optional<GtpAnalysisForm> form);
  // The time that the clocks leave that side for a move; nullopt: it has no clock.
  std::optional<Duration> TimeFor(Player color) const;
  // Thinks in the current position within the time of that side, and takes the time off its clock.
  Result<Thought> ThinkInTime(Player color, const ThinkLimits& limits, const OnProgress& report);
  bool WouldResign(Player color, const Thought& thought);
  // Makes it that colour's turn, by a pass of the other if necessary, and returns how many passes
  // that took. Fails with kInvalid when that is impossible.
  Result<std::size_t> GiveTurn(Player color);
  std::string Named(Action action) const;
  std::string LegalNames() const;  // the legal moves of the side to move, separated by spaces

  GameSession session_;
  std::unique_ptr<Thinker> thinker_;  // never null
  MakeThinker make_thinker_;
  GtpOptions options_;
  const Clock* clock_;
  std::array<std::optional<GameClock>, 2> clocks_;  // indexed by player; nullopt: no time limit
  std::vector<std::size_t> plies_of_moves_;  // plies of each play and genmove since the start
  std::array<int, 2> bad_moves_{};  // moves in a row bad enough to resign, indexed by player
  bool has_quit_ = false;
};

}  // namespace az
