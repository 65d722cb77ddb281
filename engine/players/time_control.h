#pragma once
// Time for thinking, as pure rules: what a game clock holds, what a move costs, how much of it the
// next move may use. Reads no clock: whoever plays measures and tells. Used by the worker's players
// and by az_play (GTP's time_settings and time_left).

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace az {

// A side's time in one game: main time, then, when there is overtime, byo_stones moves in each
// byo_time (Canadian byo-yomi; one stone is a time a move). All zero is no time at all.
struct TimeControl {
  Duration main{};
  Duration increment{};  // added after each move that is made in main time
  Duration byo_time{};
  int byo_stones = 0;  // 0: no overtime
  friend bool operator==(const TimeControl&, const TimeControl&) = default;
};

// Seconds: "300" main time, "300+2" with an increment, "300/30x5" then five moves every 30 s,
// "0/10x1" ten seconds a move. kInvalid with the fault alone ("is not a time control: ..."), as the
// options' readers have it.
Result<TimeControl> ParseTimeControl(std::string_view text);
// What ParseTimeControl reads back.
std::string ToString(const TimeControl& control);

// One side's clock in one game. Thread-compatible; a value.
class GameClock {
 public:
  explicit GameClock(const TimeControl& control);

  // A move was made and took so long (negative counts as none). False: the flag has fallen; it
  // stays fallen until Set.
  bool Spend(Duration spent);
  // What a controller's clock says (GTP time_left): `stones` moves to make in `left`, 0 stones:
  // main time.
  void Set(Duration left, int stones);

  Duration left() const { return left_; }  // of main time, or of the overtime period
  int stones() const { return stones_; }   // to play in this period; 0: main time
  bool fallen() const { return fallen_; }
  const TimeControl& control() const { return control_; }

 private:
  void BeginPeriod();

  TimeControl control_;
  Duration left_{};
  int stones_ = 0;
  bool fallen_ = false;
};

// What a move must be made within besides the thinking: the way to the controller and back.
inline constexpr Duration kMoveOverhead = std::chrono::milliseconds(30);
// The shortest think, whatever the clock says.
inline constexpr Duration kLeastThink = std::chrono::milliseconds(1);

// How many moves a side still makes, as far as the board says: a game takes about as many plies as
// the board has cells, and never fewer than some.
int ExpectedMovesLeft(int cells, int ply);

// How long to think about the next move when so many are expected to come, this one included, and
// `overhead` is lost on each. At least kLeastThink; otherwise the flag does not fall.
Duration ThinkTime(const GameClock& clock, int moves_left, Duration overhead = kMoveOverhead);

}  // namespace az
