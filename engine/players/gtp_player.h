#pragma once
// GtpPlayer: another program as a player of matches. Starts it, agrees on the game, tells it the
// moves, asks for its own; goes on with one process from game to game and starts it again after a
// fault. Never blocks: whoever plays calls Poll until there is a reply.

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
  int board_size = 0;          // 0: the game has one size, none is sent
  std::optional<double> komi;  // nullopt: the game has none
  Duration timeout =
      std::chrono::seconds(60);  // for an answer; for a move beyond what a clock leaves
  std::optional<TimeControl> clock;

  // Of a program that plays `game` by a player's settings.
  static GtpPlayerOptions For(std::string command, const PlayerSettings& settings,
                              const GameOps& game);
};

enum class GtpFault : std::uint8_t {
  kNoAnswer,  // within its timeout; with a clock, that much after its flag
  kRefused,   // answered '?' or what is no answer
  kGone,      // died, or could not be started
};

// What has come of AskMove. Without a move and a fault: it resigns.
struct GtpReply {
  std::string move;  // lower case: "d4", "pass"
  std::optional<GtpFault> fault;
  std::string reason;  // of the fault, for the log
};

// Thread-compatible. The clock outlives it. Colours: the first player is GTP's black.
class GtpPlayer {
 public:
  GtpPlayer(GtpPlayerOptions options, const Clock& clock);

  // A new game: the program is started if it does not run, and told of an empty board.
  void NewGame();
  // A move of either side that was played, in the order of the game. REQUIRES: no question is open.
  void TellMove(Player player, std::string_view move);
  // Asks for the next move. `game_clock`: the side's clock, when the game has one; the answer may
  // take what it leaves and the timeout more, so that a late answer is told from none. Who asks
  // judges whether the flag fell. REQUIRES: no question is open.
  void AskMove(Player player, const GameClock* game_clock);
  // Before a move is asked for: a reply without a move once the program has taken all that it was
  // told, or its fault. REQUIRES: NewGame was called, and no question is open.
  std::optional<GtpReply> PollTold();
  // The reply once there is one. After a fault the program is killed, and the next NewGame starts
  // it again. REQUIRES: AskMove was called and not answered.
  std::optional<GtpReply> Poll();

  // What to wait for before the next Poll makes sense; -1: nothing, poll at once.
  int output() const { return process_.has_value() ? process_->output() : -1; }
  bool wants_write() const { return process_.has_value() && process_->wants_write(); }
  // When the running command is too late.
  TimePoint too_late() const { return too_late_; }
  const GtpProcess* process() const { return process_.has_value() ? &*process_ : nullptr; }

 private:
  struct Command {
    std::string line;
    Duration timeout;
    bool if_known = false;  // sent only to a program that has it: one can do without
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
  std::set<std::string, std::less<>> known_;  // of list_commands
  std::deque<Command> queue_;                 // not yet sent
  std::optional<Command> running_;
  TimePoint too_late_{};
  std::optional<std::string> move_;  // genmove's answer
};

}  // namespace az
