#include "scheduler/watch.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TimePoint At(int seconds) { return TimePoint{} + std::chrono::seconds(seconds); }

WatchOptions Options() {
  return {.budget = MiB(1000), .threshold = 0.8, .predicted = MiB(500), .guard = MiB(20)};
}

TEST(ThresholdWatch, SuggestsOnceAndArmsAgainFivePercentBelow) {
  ThresholdWatch watch(Options());
  EXPECT_EQ(watch.threshold(), MiB(800));
  EXPECT_EQ(watch.Sample(At(0), MiB(799), Bytes()), WatchStep::kNone);
  EXPECT_EQ(watch.Sample(At(1), MiB(801), Bytes()), WatchStep::kSuggest);
  EXPECT_EQ(watch.Sample(At(2), MiB(820), Bytes()), WatchStep::kNone);
  EXPECT_EQ(watch.Sample(At(3), MiB(790), Bytes()), WatchStep::kNone);
  EXPECT_EQ(watch.Sample(At(4), MiB(810), Bytes()), WatchStep::kNone);  // not armed yet
  EXPECT_EQ(watch.Sample(At(5), MiB(749), Bytes()), WatchStep::kCalm);
  EXPECT_EQ(watch.Sample(At(6), MiB(801), Bytes()), WatchStep::kSuggest);
}

TEST(ThresholdWatch, CleansUpWhatIsWorthItAtMostOnceAnInterval) {
  ThresholdWatch watch(Options());
  EXPECT_EQ(watch.Sample(At(0), MiB(850), MiB(60)), WatchStep::kCleanUp);
  EXPECT_EQ(watch.Sample(At(10), MiB(850), MiB(60)), WatchStep::kNone);
  EXPECT_EQ(watch.Sample(At(30), MiB(850), MiB(60)), WatchStep::kCleanUp);
  EXPECT_EQ(watch.Sample(At(31), MiB(850), MiB(49)), WatchStep::kSuggest);  // too little cached
}

TEST(ThresholdWatch, NeverCleansUpWithAnIntervalOfZero) {
  WatchOptions options = Options();
  options.cleanup_interval = Duration::zero();
  ThresholdWatch watch(options);
  EXPECT_EQ(watch.Sample(At(0), MiB(850), MiB(500)), WatchStep::kNone);
}

TEST(ThresholdWatch, NearTheBudgetItWantsARung) {
  ThresholdWatch watch(Options());
  EXPECT_EQ(watch.Sample(At(0), MiB(951), MiB(500)), WatchStep::kRung);
  EXPECT_EQ(watch.Sample(At(1), MiB(990), Bytes()), WatchStep::kSuggest);
  EXPECT_EQ(watch.Sample(At(2), MiB(700), Bytes()), WatchStep::kCalm);
  EXPECT_EQ(watch.Sample(At(3), MiB(960), Bytes()), WatchStep::kRung);
}

// A rung that was not enough.
TEST(ThresholdWatch, StillTooHighWithOtherSizesItWantsTheNextRung) {
  ThresholdWatch watch(Options());
  EXPECT_EQ(watch.Sample(At(0), MiB(970), Bytes()), WatchStep::kRung);
  EXPECT_EQ(watch.Sample(At(1), MiB(970), Bytes()), WatchStep::kSuggest);
  EXPECT_EQ(watch.Sample(At(2), MiB(970), Bytes()), WatchStep::kNone) << "one is asked for";
  EXPECT_TRUE(watch.is_too_high());
  watch.MayAskForRung();
  EXPECT_EQ(watch.Sample(At(3), MiB(949), Bytes()), WatchStep::kNone) << "it was enough";
  EXPECT_FALSE(watch.is_too_high());
  EXPECT_EQ(watch.Sample(At(4), MiB(951), Bytes()), WatchStep::kRung);
}

TEST(ThresholdWatch, WhatThePlanPredictsIsNoAlarm) {
  WatchOptions options = Options();
  options.predicted = MiB(970);
  ThresholdWatch watch(options);
  EXPECT_EQ(watch.threshold(), MiB(980));
  EXPECT_EQ(watch.Sample(At(0), MiB(975), Bytes()), WatchStep::kNone);
  EXPECT_EQ(watch.Sample(At(1), MiB(985), Bytes()), WatchStep::kRung);
  watch.Replan(Options());
  EXPECT_EQ(watch.threshold(), MiB(800));
  EXPECT_TRUE(watch.is_above());
}

TEST(Fragmentation, UnknownIsNotZero) {
  EXPECT_FALSE(Fragmentation({}, MiB(10)));
  EXPECT_FALSE(Fragmentation(MiB(1), {}));
  EXPECT_DOUBLE_EQ(Fragmentation(MiB(3), MiB(10)).value(), 0.3);
  EXPECT_DOUBLE_EQ(Fragmentation(Bytes(), Bytes()).value(), 0);
}

TEST(Fragmentation, WarnsOnceWhileRetriesRise) {
  FragmentationWatch watch;
  EXPECT_FALSE(watch.Sample(0.5, 0));  // stuck, but nothing had to be tried again
  EXPECT_FALSE(watch.Sample({}, 3));
  EXPECT_TRUE(watch.Sample(0.5, 1));
  EXPECT_FALSE(watch.Sample(0.5, 2));
  EXPECT_FALSE(watch.Sample(0.2, 3));
  EXPECT_FALSE(watch.Sample(0.5, 3));
  EXPECT_TRUE(watch.Sample(0.5, 4));
}

}  // namespace
}  // namespace az
