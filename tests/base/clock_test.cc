#include "base/clock.h"

#include <gtest/gtest.h>

namespace az {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(ManualClock, StandsStillUntilTold) {
  ManualClock clock;
  const TimePoint start = clock.Now();
  EXPECT_EQ(clock.Now(), start);
  clock.Advance(milliseconds(5));
  EXPECT_EQ(clock.Now() - start, milliseconds(5));
}

TEST(DurationOf, IsTheInverseOfSeconds) {
  EXPECT_EQ(DurationOf(1.5), milliseconds(1500));
  EXPECT_EQ(DurationOf(-0.25), -milliseconds(250));
  EXPECT_EQ(DurationOf(0), Duration::zero());
  EXPECT_DOUBLE_EQ(Seconds(DurationOf(1234.5)), 1234.5);
}

TEST(SteadyClock, NeverGoesBack) {
  const SteadyClock clock;
  const TimePoint first = clock.Now();
  EXPECT_GE(clock.Now(), first);
}

TEST(Deadline, KnowsWhatIsLeft) {
  const Deadline later = Deadline::In(hours(1));
  EXPECT_FALSE(later.Passed());
  EXPECT_EQ(later.Left(milliseconds(10)), milliseconds(10)) << "capped";
  EXPECT_GT(later.Left(hours(2)), milliseconds(3'500'000));
  EXPECT_LE(later.Left(hours(2)), hours(1));
}

TEST(Deadline, LeavesNothingOncePassed) {
  const Deadline past = Deadline::In(milliseconds(-1));
  EXPECT_TRUE(past.Passed());
  EXPECT_EQ(past.Left(hours(1)), Duration::zero());
}

TEST(Deadline, NeverPasses) {
  EXPECT_FALSE(Deadline::Never().Passed());
  EXPECT_EQ(Deadline::Never().Left(hours(7)), hours(7));
}

}  // namespace
}  // namespace az
