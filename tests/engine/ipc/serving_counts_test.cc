#include "engine/ipc/serving_counts.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "engine/ipc/layout.h"
#include "engine/ipc/segment.h"

namespace az {
namespace {

std::unique_ptr<Segment> MakeSegment() {
  Result<std::unique_ptr<Segment>> segment = Segment::Create(
      {.shape = {.lanes = 2, .blocks = 2, .rows = 8, .in_words = 2, .num_actions = 9, .models = 2},
       .game_hash = 7,
       .run_id = {}});
  EXPECT_TRUE(segment) << segment.error().message;
  return std::move(segment).value();
}

TEST(ServingCounts, ANewSegmentsAreZero) {
  const ServingCounts counts = ReadServingCounts(*MakeSegment());
  ServingCounts::VisitSums(
      [&](const char* name, auto count) { EXPECT_EQ(counts.*count, 0) << name; });
}

// Every counter has another number, so that none can stand for another.
TEST(ServingCounts, EachIsReadFromItsCounter) {
  const std::unique_ptr<Segment> segment = MakeSegment();
  segment->Count(ServerCounter::kBatches, 11);
  segment->Count(ServerCounter::kRows, 12);
  segment->Count(ServerCounter::kPadRows, 13);
  segment->Count(ServerCounter::kSealFull, 14);
  segment->Count(ServerCounter::kSealStarving, 15);
  segment->Count(ServerCounter::kSealSuspect, 99);
  segment->Count(ServerCounter::kSealReady, 99);
  segment->Count(ServerCounter::kBusyNs, 1'500'000'000);
  segment->Count(ServerCounter::kQueueWaitNs, 250'000'000, 0);
  segment->Count(ServerCounter::kQueueWaitNs, 500'000'000, kMaxModels - 1);
  segment->Count(ServerCounter::kRequeued, 16);
  segment->Count(ServerCounter::kSwept, 17);
  segment->Count(ServerCounter::kViolations, 18);
  segment->Count(0, LaneCounter::kFullBlocks, 20);
  segment->Count(1, LaneCounter::kFullBlocks, 1);
  segment->Count(0, LaneCounter::kPartialBlocks, 3);
  segment->Count(1, LaneCounter::kPartialBlocks, 30);
  segment->Count(1, LaneCounter::kFailedBlocks, 5);
  segment->Count(0, LaneCounter::kRoundTripNs, 2'000'000'000);
  segment->Count(1, LaneCounter::kRoundTripNs, 125'000'000);
  segment->Count(0, LaneCounter::kAsleepNs, 3'000'000'000);
  segment->Count(1, LaneCounter::kAsleepNs, 62'500'000);
  const ServingCounts counts = ReadServingCounts(*segment);
  EXPECT_EQ(counts.batches, 11u);
  EXPECT_EQ(counts.device_rows, 12u);
  EXPECT_EQ(counts.pad_rows, 13u);
  EXPECT_EQ(counts.full_batches, 14u);
  EXPECT_EQ(counts.starving_batches, 15u);
  EXPECT_DOUBLE_EQ(counts.runner_busy_s, 1.5);
  EXPECT_DOUBLE_EQ(counts.queue_wait_s, 0.75);
  EXPECT_EQ(counts.requeued_blocks, 16u);
  EXPECT_EQ(counts.lost_hints, 17u);
  EXPECT_EQ(counts.violations, 18u);
  EXPECT_EQ(counts.answered_blocks, 54u);
  EXPECT_EQ(counts.full_blocks, 21u);
  EXPECT_EQ(counts.failed_blocks, 5u);
  EXPECT_DOUBLE_EQ(counts.round_trip_s, 2.125);
  EXPECT_DOUBLE_EQ(counts.asleep_s, 3.0625);
  std::set<double> values;
  ServingCounts::VisitSums([&](const char* name, auto count) {
    EXPECT_TRUE(values.insert(static_cast<double>(counts.*count)).second) << name;
  });
}

TEST(ServingCounts, AddUp) {
  ServingCounts sum{.batches = 1, .pad_rows = 2, .asleep_s = 0.5};
  sum += {.batches = 10, .full_blocks = 3, .asleep_s = 0.25};
  EXPECT_EQ(sum.batches, 11u);
  EXPECT_EQ(sum.pad_rows, 2u);
  EXPECT_EQ(sum.full_blocks, 3u);
  EXPECT_DOUBLE_EQ(sum.asleep_s, 0.75);
}

}  // namespace
}  // namespace az
