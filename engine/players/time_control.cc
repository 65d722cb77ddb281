#include "engine/players/time_control.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/strings.h"

namespace az {
namespace {

constexpr double kMostSeconds = 1e6;  // eleven days
constexpr int kMostStones = 1000;
constexpr double kIncrementShare = 0.8;  // the rest of an increment is saved
constexpr int kFewestMoves = 6;          // always expected, as the end of a game is never certain

Error NoControl(std::string_view why) {
  return Error{Errc::kInvalid,
               StrCat("is not a time control: ", why,
                      " (seconds: 300, 300+2 with an increment, 300/30x5 then 5 moves every 30)")};
}

Result<Duration> ParseSeconds(std::string_view text, std::string_view what) {
  double seconds = 0;
  if (!ParseDouble(text, seconds)) {
    return NoControl(StrCat(what, " '", text, "' is not a number"));
  }
  if (!(seconds >= 0 && seconds <= kMostSeconds)) {
    return NoControl(StrCat(what, " '", text, "' is out of range [0, ", kMostSeconds, "]"));
  }
  return Duration(std::llround(seconds * 1e9));
}

// Reads the part behind the slash: "30x5".
Result<void> ParseOvertime(std::string_view text, TimeControl& control) {
  const std::size_t times = text.find('x');
  if (times == std::string_view::npos) return NoControl("overtime has no 'x'");
  AZ_ASSIGN_OR_RETURN(control.byo_time, ParseSeconds(text.substr(0, times), "overtime"));
  std::int64_t stones = 0;
  if (!ParseInt(text.substr(times + 1), stones) || stones < 1 || stones > kMostStones) {
    return NoControl(StrCat("moves of an overtime '", text.substr(times + 1),
                            "' are no number from 1 to ", kMostStones));
  }
  control.byo_stones = static_cast<int>(stones);
  if (control.byo_time == Duration::zero()) return NoControl("overtime has no time");
  return {};
}

// The seconds without an exponent, whose '+' would read as an increment.
std::string SecondsText(Duration time) {
  std::array<char, 64> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), Seconds(time), std::chars_format::fixed)
          .ptr;
  return std::string(text.data(), end);
}

Duration Share(Duration of, double share) {
  return std::chrono::duration_cast<Duration>(of * share);
}

}  // namespace

Result<TimeControl> ParseTimeControl(std::string_view text) {
  TimeControl control;
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    AZ_RETURN_IF_ERROR(ParseOvertime(text.substr(slash + 1), control));
  }
  const std::string_view front = text.substr(0, slash);
  const std::size_t plus = front.find('+');
  AZ_ASSIGN_OR_RETURN(control.main, ParseSeconds(front.substr(0, plus), "main time"));
  if (plus != std::string_view::npos) {
    AZ_ASSIGN_OR_RETURN(control.increment, ParseSeconds(front.substr(plus + 1), "increment"));
  }
  if (control.main == Duration::zero() && control.byo_stones == 0) {
    return NoControl("it leaves no time for a move");
  }
  return control;
}

std::string ToString(const TimeControl& control) {
  std::string text = SecondsText(control.main);
  if (control.increment > Duration::zero()) text += StrCat('+', SecondsText(control.increment));
  if (control.byo_stones > 0) {
    text += StrCat('/', SecondsText(control.byo_time), 'x', control.byo_stones);
  }
  return text;
}

GameClock::GameClock(const TimeControl& control) : control_(control), left_(control.main) {
  if (left_ == Duration::zero() && control_.byo_stones > 0) BeginPeriod();
}

void GameClock::BeginPeriod() {
  left_ = control_.byo_time;
  stones_ = control_.byo_stones;
}

bool GameClock::Spend(Duration spent) {
  if (fallen_) return false;
  left_ -= std::max(spent, Duration::zero());
  if (left_ < Duration::zero() && stones_ == 0 && control_.byo_stones > 0) {
    const Duration over = -left_;  // the first overtime period pays what main time lacked
    BeginPeriod();
    left_ -= over;
  }
  if (left_ < Duration::zero()) {
    left_ = Duration::zero();
    fallen_ = true;
    return false;
  }
  if (stones_ > 0) {
    if (--stones_ == 0) BeginPeriod();
  } else {
    left_ += control_.increment;
  }
  return true;
}

void GameClock::Set(Duration left, int stones) {
  left_ = std::max(left, Duration::zero());
  stones_ = std::max(stones, 0);
  fallen_ = false;
}

int ExpectedMovesLeft(int cells, int ply) { return std::max((cells - ply + 1) / 2, kFewestMoves); }

Duration ThinkTime(const GameClock& clock, int moves_left, Duration overhead) {
  const TimeControl& control = clock.control();
  Duration usable = clock.left() - overhead;
  Duration share{};
  if (clock.stones() > 0) {
    share = clock.left() / clock.stones() - overhead;
  } else {
    share = clock.left() / std::max(moves_left, 1) + Share(control.increment, kIncrementShare);
    // Main time can be used up, as overtime comes after it.
    if (control.byo_stones > 0) {
      share += control.byo_time / control.byo_stones;
      usable += control.byo_time / control.byo_stones;
    }
    share -= overhead;
  }
  return std::max(std::min(share, usable), kLeastThink);
}

}  // namespace az
