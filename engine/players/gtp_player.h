#pragma once
// GtpPlayer: another program as a player of matches. Starts the program, agrees on the game, sends
// it the moves and asks for its own. It keeps one process from game to game and starts it again
// after a fault. Never blocks: the caller calls Poll until there is a reply.

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "engine/players/gtp_process.h"
#include "engine/players/player_settings.h"
#include "engine/players/time_control.h"
#include "games/game.h"
#include "games/game_ops.h"

namespace az {

struct GtpPlayerOptions {
  std::string command;
  int board_size = 0;          // 0: the game has only one size, so none is sent
  std::optional<double> komi;  // nullopt: the game has none
  Duration timeout =
      std::chrono::seconds(60);  // for an answer; for a move on top of what the clock leaves
  std::optional<TimeControl> clock;

  // The options for a program that plays `game` with a player's settings.
  static GtpPlayerOptions For(std::string command, const PlayerSettings& settings,
                              const GameOps& game);
};

enum class GtpFault : std::uint8_t {
  kNoAnswer,  // none within the timeout; with a clock, within the timeout after the flag
  kRefused,   // it answered '?' or something that is no answer
  kGone,      // it died, or could not be started
};

// The reply to AskMove. Without a move and without a fault the program resigns.
struct GtpReply {
  std::string move;  // lower case: "d4", "pass"
  std::optional<GtpFault> fault;
  std::string reason;  // explains the fault in the log
};

// The first player is GTP's black. The clock outlives this object. Thread-compatible.
class GtpPlayer {
 public:
  GtpPlayer(GtpPlayerOptions options, const Clock& clock);

  // Begins a new game: starts the program if it does not run, and sends it an empty board.
  void NewGame();
  // Sends a move that was played, either side's, in the order of the game. REQUIRES: no question is
  // open.
  void TellMove(Player player, std::string_view move);
  // Asks for the next move. `game_clock`: the side's clock, or null when the game has none. The
  // answer may take what the clock leaves plus the timeout, so that a late answer differs from
  // none; the caller decides whether the flag has fallen. REQUIRES: no question is open.
  void AskMove(Player player, const GameClock* game_clock);
  // Before a move is asked for: returns a reply without a move once the program has accepted
  // everything it was sent, or its fault. REQUIRES: NewGame was called, and no question is open.
  std::optional<GtpReply> PollTold();
  // Returns the reply once there is one. After a fault the program is killed, and the next NewGame
  // starts it again. REQUIRES: AskMove was called and not answered.
  std::optional<GtpReply> Poll();

  // The descriptor to wait for before the next Poll makes sense; -1: poll at once.
  int output() const { return process_.has_value() ? process_->output() : -1; }
  bool wants_write() const { return process_.has_value() && process_->wants_write(); }
  // The time from which the running command is too late.
  TimePoint too_late() const { return too_late_; }
  const GtpProcess* process() const { return process_.has_value() ? &*process_ : nullptr; }

 private:
  struct Command {
    std::string line;
    Duration timeout;
    bool if_known = false;  // optional: sent only to a program that knows it
  };
  void Queue(std::string line, bool if_known = false);
  void StartProgram();
  // Sends the next command when none is running.
  Result<void> SendNext();
  Result<void> TakeAnswer(const GtpAnswer& answer);
  bool IsKnown(std::string_view line) const;
  GtpReply Fail(GtpFault fault, std::string reason);

  GtpPlayerOptions options_;
  const Clock& clock_;
  std::optional<GtpProcess> process_;
  std::optional<Error> start_error_;
  std::set<std::string, std::less<>> known_;  // what list_commands listed
  std::deque<Command> queue_;                 // not yet sent
  std::optional<Command> running_;
  TimePoint too_late_{};
  std::optional<std::string> move_;  // genmove's answer
};

}  // namespace az
