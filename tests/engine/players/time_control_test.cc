#include "engine/players/time_control.h"

#include <gtest/gtest.h>

#include <tuple>

#include "base/rng.h"

namespace az {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(TimeControl, ReadsAndPrintsItsForms) {
  const std::tuple<std::string_view, TimeControl> cases[] = {
      {"300", {.main = seconds(300)}},
      {"100000", {.main = seconds(100'000)}},
      {"0.000001+1000000", {.main = std::chrono::microseconds(1), .increment = seconds(1'000'000)}},
      {"0.5", {.main = milliseconds(500)}},
      {"60+1.5", {.main = seconds(60), .increment = milliseconds(1500)}},
      {"300/30x5", {.main = seconds(300), .byo_time = seconds(30), .byo_stones = 5}},
      {"0/10x1", {.byo_time = seconds(10), .byo_stones = 1}},
      {"1+2/3x4",
       {.main = seconds(1), .increment = seconds(2), .byo_time = seconds(3), .byo_stones = 4}},
  };
  for (const auto& [text, control] : cases) {
    const auto read = ParseTimeControl(text);
    ASSERT_TRUE(read) << text << ": " << read.error().message;
    EXPECT_EQ(*read, control) << text;
    EXPECT_EQ(ToString(control), text);
  }
  for (const std::string_view text :
       {"", "x", "-1", "0", "1+", "+1", "10/", "10/5", "10/5x", "10/5x0", "10/0x3", "1e9", "nan",
        "inf", "10/5x1001", "1 0", "1+2+3"}) {
    const auto read = ParseTimeControl(text);
    ASSERT_FALSE(read) << text;
    EXPECT_TRUE(read.error().message.starts_with("is not a time control: ")) << text;
  }
}

TEST(GameClock, MainTimeThenTheFlag) {
  GameClock clock({.main = seconds(10), .increment = seconds(2)});
  EXPECT_TRUE(clock.Spend(seconds(4)));
  EXPECT_EQ(clock.left(), seconds(8));
  EXPECT_TRUE(clock.Spend(seconds(8)));  // the last instant counts
  EXPECT_EQ(clock.left(), seconds(2));
  EXPECT_FALSE(clock.Spend(milliseconds(2001)));
  EXPECT_FALSE(clock.Spend(seconds(0)));
  clock.Set(seconds(5), 0);
  EXPECT_TRUE(clock.Spend(seconds(5)));
}

TEST(GameClock, OvertimeFollowsMainTime) {
  GameClock clock({.main = seconds(1), .byo_time = seconds(6), .byo_stones = 2});
  EXPECT_TRUE(clock.Spend(seconds(3)));  // one of it main time: a move of the first period
  EXPECT_EQ(clock.left(), seconds(4));
  EXPECT_EQ(clock.stones(), 1);
  EXPECT_TRUE(clock.Spend(seconds(4)));
  EXPECT_EQ(clock.left(), seconds(6));  // the next period, whole
  EXPECT_EQ(clock.stones(), 2);
  EXPECT_TRUE(clock.Spend(seconds(5)));
  EXPECT_FALSE(clock.Spend(seconds(2)));
}

TEST(GameClock, WithoutMainTimeOvertimeIsAllThereIs) {
  GameClock clock({.byo_time = seconds(3), .byo_stones = 1});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(clock.Spend(seconds(3)));
  EXPECT_FALSE(clock.Spend(milliseconds(3001)));
}

TEST(ThinkTime, FollowsTheClock) {
  const Duration none{};
  const auto think = [&](const TimeControl& control, int moves) {
    return ThinkTime(GameClock(control), moves, none);
  };
  EXPECT_EQ(think({.main = seconds(100)}, 20), seconds(5));
  EXPECT_EQ(think({.main = seconds(100), .increment = seconds(5)}, 20), seconds(9));
  EXPECT_EQ(think({.main = seconds(1), .increment = seconds(5)}, 20), seconds(1));  // all there is
  EXPECT_EQ(think({.byo_time = seconds(30), .byo_stones = 5}, 20), seconds(6));
  EXPECT_EQ(think({.main = seconds(20), .byo_time = seconds(30), .byo_stones = 5}, 20), seconds(7));
  EXPECT_EQ(ThinkTime(GameClock({.main = milliseconds(20)}), 3), kLeastThink);
}

// Whoever thinks as long as ThinkTime says, and loses no more than the overhead, never loses on
// time unless the clock leaves less than the least think.
TEST(ThinkTime, NeverLetsTheFlagFall) {
  Rng rng(3);
  for (int game = 0; game < 2000; ++game) {
    TimeControl control{.main = milliseconds(200 + rng.Below(60'000))};
    if (rng.Below(2) == 0) control.increment = milliseconds(40 + rng.Below(5000));
    if (rng.Below(2) == 0) {
      control.byo_stones = 1 + static_cast<int>(rng.Below(10));
      control.byo_time = milliseconds(100 + rng.Below(2000)) * control.byo_stones;
    }
    GameClock clock(control);
    const int cells = 9 + static_cast<int>(rng.Below(200));
    for (int ply = 0; ply < cells; ply += 2) {
      const bool lasts = control.byo_stones > 0 || control.increment > kMoveOverhead + kLeastThink;
      if (!lasts && clock.left() < kMoveOverhead + kLeastThink) break;
      const Duration spent = ThinkTime(clock, ExpectedMovesLeft(cells, ply)) +
                             Duration(rng.Below(static_cast<std::uint64_t>(kMoveOverhead.count())));
      ASSERT_TRUE(clock.Spend(spent)) << ToString(control) << " ply " << ply;
    }
  }
}

}  // namespace
}  // namespace az
