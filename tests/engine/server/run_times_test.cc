#include "engine/server/run_times.h"

#include <gtest/gtest.h>

#include "engine/server/flight_watch.h"

namespace az {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RunTimes, EstimatesEachModelAndBucketApart) {
  RunTimes times({8, 32});
  EXPECT_EQ(times.Estimate(0, 8), Duration::zero());
  times.Add(0, 8, milliseconds(2));
  times.Add(1, 8, milliseconds(5));
  EXPECT_NEAR(Seconds(times.Estimate(0, 8)), 0.002, 1e-6);
  EXPECT_NEAR(Seconds(times.Estimate(1, 8)), 0.005, 1e-6);
  EXPECT_EQ(times.Estimate(0, 32), Duration::zero());
}

TEST(RunTimes, StarvingFollowsTheLargestBucketButNotBelow20Ms) {
  RunTimes times({8, 32});
  EXPECT_EQ(times.Starve(), milliseconds(20));
  times.Add(1, 32, milliseconds(50));
  EXPECT_NEAR(Seconds(times.Starve()), 0.2, 1e-6);
}

TEST(RunTimes, HangLimits) {
  RunTimes times({8});
  EXPECT_EQ(times.HangLimit(0, 8), seconds(120));  // a first batch compiles and captures
  times.Add(0, 8, milliseconds(2));
  EXPECT_EQ(times.HangLimit(0, 8), seconds(10));
  times.Add(1, 8, seconds(1));
  EXPECT_NEAR(Seconds(times.HangLimit(1, 8)), 50.0, 1e-6);
}

TEST(FlightWatch, SaysHowOverdueABatchIs) {
  RunTimes times({8});
  times.Add(0, 8, milliseconds(2));
  FlightWatch watch;
  SealedBatch batch;
  batch.bucket = 8;
  batch.sealed = TimePoint(seconds(1000));
  EXPECT_FALSE(watch.Overdue(times, batch.sealed + seconds(100)).has_value());
  watch.Begin(batch);
  EXPECT_FALSE(watch.Overdue(times, batch.sealed + seconds(9)).has_value());
  EXPECT_EQ(watch.Overdue(times, batch.sealed + seconds(13)), seconds(3));
  watch.End();
  EXPECT_FALSE(watch.Overdue(times, batch.sealed + seconds(100)).has_value());
}

}  // namespace
}  // namespace az
