#pragma once
// Rules of thinking time: what a game clock holds, what a move costs, how much time the next move
// may use. Pure: the caller measures the time and passes it in. Used by the worker's players and by
// az_play (GTP's time_settings and time_left).

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace az {

// A side's time in one game: main time, then, when there is overtime, byo_stones moves in each
// byo_time (Canadian byo-yomi; with one stone it is a time per move). All zero means no time at
// all.
struct TimeControl {
  Duration main{};
  Duration increment{};  // added after each move that is made in main time
  Duration byo_time{};
  int byo_stones = 0;  // 0: no overtime
  friend bool operator==(const TimeControl&, const TimeControl&) = default;
};

// Reads a time control, in seconds: "300" is main time, "300+2" has an increment, "300/30x5" is
// followed by five moves every 30 s, "0/10x1" is ten seconds per move. Fails with kInvalid; like
// option readers, the message has only the fault ("is not a time control: ...").
Result<TimeControl> ParseTimeControl(std::string_view text);
// The text that ParseTimeControl reads back.
std::string ToString(const TimeControl& control);

// One side's clock in one game. A value. Thread-compatible.
class GameClock {
 public:
  explicit GameClock(const TimeControl& control);

  // Takes the time of a move off the clock (negative counts as 0). Returns false when the flag has
  // fallen; it stays fallen until Set.
  bool Spend(Duration spent);
  // Takes over a controller's clock (GTP time_left): `stones` moves are to be made in `left`; 0
  // stones: `left` is main time.
  void Set(Duration left, int stones);

  Duration left() const { return left_; }  // in main time, or in the overtime period
  int stones() const { return stones_; }   // moves to make in this period; 0: main time
  const TimeControl& control() const { return control_; }

 private:
  void BeginPeriod();

  TimeControl control_;
  Duration left_{};
  int stones_ = 0;
  bool fallen_ = false;
};

// The time that a move takes besides thinking: the way to the controller and back.
inline constexpr Duration kMoveOverhead = std::chrono::milliseconds(30);
// The shortest think, whatever the clock says.
inline constexpr Duration kLeastThink = std::chrono::milliseconds(1);

// The number of moves that a side is expected to make yet: a game takes about as many plies as the
// board has cells. Never less than a small number.
int ExpectedMovesLeft(int cells, int ply);

// The time to think about the next move when `moves_left` are expected, this one included, and each
// loses `overhead`. Never so long that the flag falls, but at least kLeastThink.
Duration ThinkTime(const GameClock& clock, int moves_left, Duration overhead = kMoveOverhead);

}  // namespace az
