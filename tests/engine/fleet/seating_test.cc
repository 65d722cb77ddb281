#include "engine/fleet/seating.h"

#include <gtest/gtest.h>

#include <set>

namespace az {
namespace {

const SegmentSpec kSpec{
    .shape = {.lanes = 3, .blocks = 2, .rows = 8, .in_words = 2, .num_actions = 9, .models = 2},
    .game_hash = 7,
    .run_id = {}};

TEST(Seating, SharedIsOneDeviceAndOneSegment) {
  const auto seating = Seating::Make(ModelSharing::kShared, kSpec);
  ASSERT_TRUE(seating) << seating.error().message;
  EXPECT_EQ(seating->workers(), 3);
  EXPECT_EQ(seating->devices(), std::vector<int>{kDeviceLane});
  EXPECT_EQ(seating->processes(), 4u);
  for (int worker = 0; worker < 3; ++worker) {
    EXPECT_EQ(&seating->SegmentOf(worker), &seating->SegmentOf(kDeviceLane));
    EXPECT_EQ(seating->SeatOf(worker).segment_lane, worker);
    EXPECT_EQ(&seating->LineOf(worker),
              &seating->SegmentOf(worker).worker(static_cast<std::uint32_t>(worker)));
  }
}

TEST(Seating, PerWorkerPairsEachWorkerWithItsOwnDevice) {
  const auto seating = Seating::Make(ModelSharing::kPerWorker, kSpec);
  ASSERT_TRUE(seating) << seating.error().message;
  EXPECT_EQ(seating->devices(),
            (std::vector<int>{kDeviceLane, OwnDeviceOf(0), OwnDeviceOf(1), OwnDeviceOf(2)}));
  EXPECT_EQ(seating->processes(), 7u);
  std::set<const Segment*> segments = {&seating->SegmentOf(kDeviceLane)};
  for (int worker = 0; worker < 3; ++worker) {
    const Segment& segment = seating->SegmentOf(worker);
    EXPECT_TRUE(segments.insert(&segment).second) << "shared with another: worker " << worker;
    EXPECT_EQ(&segment, &seating->SegmentOf(OwnDeviceOf(worker)));
    EXPECT_EQ(segment.shape().lanes, 1u);
    EXPECT_EQ(seating->SeatOf(worker).segment_lane, 0);
    EXPECT_EQ(seating->SeatOf(worker).segment_fd, seating->SeatOf(OwnDeviceOf(worker)).segment_fd);
    EXPECT_EQ(&seating->LineOf(OwnDeviceOf(worker)), &segment.device());
  }
}

TEST(Seating, SumsOverSegments) {
  for (const ModelSharing sharing : {ModelSharing::kShared, ModelSharing::kPerWorker}) {
    const auto seating = Seating::Make(sharing, kSpec);
    ASSERT_TRUE(seating) << seating.error().message;
    Bytes bytes;
    for (const int device : seating->devices()) {
      seating->SegmentOf(device).Count(ServerCounter::kRows, 10);
      bytes += Bytes(static_cast<std::int64_t>(seating->SegmentOf(device).layout().total_bytes));
    }
    EXPECT_EQ(seating->Serving().device_rows, 10 * seating->devices().size());
    EXPECT_EQ(seating->bytes(), bytes);
    seating->Drain();
    for (const int device : seating->devices()) {
      EXPECT_EQ(seating->SegmentOf(device).stop(), StopWord::kDrain);
    }
  }
}

}  // namespace
}  // namespace az
