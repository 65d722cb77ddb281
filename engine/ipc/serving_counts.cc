#include "engine/ipc/serving_counts.h"

#include "base/clock.h"
#include "engine/ipc/segment.h"

namespace az {
namespace {

double SecondsOf(std::uint64_t ns) { return Seconds(Duration(static_cast<std::int64_t>(ns))); }

void AddServer(const Segment& segment, ServingCounts& counts) {
  counts.batches = segment.counter(ServerCounter::kBatches);
  counts.device_rows = segment.counter(ServerCounter::kRows);
  counts.pad_rows = segment.counter(ServerCounter::kPadRows);
  counts.full_batches = segment.counter(ServerCounter::kSealFull);
  counts.starving_batches = segment.counter(ServerCounter::kSealStarving);
  counts.runner_busy_s = SecondsOf(segment.counter(ServerCounter::kBusyNs));
  for (int model = 0; model < kMaxModels; ++model) {
    counts.queue_wait_s += SecondsOf(segment.counter(ServerCounter::kQueueWaitNs, model));
  }
  counts.requeued_blocks = segment.counter(ServerCounter::kRequeued);
  counts.lost_hints = segment.counter(ServerCounter::kSwept);
  counts.violations = segment.counter(ServerCounter::kViolations);
}

void AddLane(const Segment& segment, std::uint32_t lane, ServingCounts& counts) {
  const std::uint64_t full = segment.counter(lane, LaneCounter::kFullBlocks);
  counts.answered_blocks += full + segment.counter(lane, LaneCounter::kPartialBlocks);
  counts.full_blocks += full;
  counts.failed_blocks += segment.counter(lane, LaneCounter::kFailedBlocks);
  counts.round_trip_s += SecondsOf(segment.counter(lane, LaneCounter::kRoundTripNs));
  counts.asleep_s += SecondsOf(segment.counter(lane, LaneCounter::kAsleepNs));
}

}  // namespace

ServingCounts ReadServingCounts(const Segment& segment) {
  ServingCounts counts;
  AddServer(segment, counts);
  for (std::uint32_t lane = 0; lane < segment.shape().lanes; ++lane) {
    AddLane(segment, lane, counts);
  }
  return counts;
}

}  // namespace az
