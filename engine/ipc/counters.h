#pragma once
// The counters of the segment, by name. They count up from the start of the run, over restarts of
// the processes, and anyone reads them live. The server's are added to with relaxed
// read-modify-writes (several runner threads); a lane's have one writing thread.

#include <cstdint>

namespace az {

inline constexpr int kMaxModels = 4;
inline constexpr int kMaxCountedBuckets = 10;

enum class ServerCounter : std::uint8_t {
  kBatches,
  kRows,
  kPadRows,   // rows a bucket was larger than its batch
  kSealFull,  // batches by the reason of their seal
  kSealStarving,
  kSealSuspect,
  kSealReady,
  kBusyNs,  // runners at work, summed over them
  kIdleNs,  // CPU runners without work, summed over them
  kRings,   // lane bells rung; kWakes of them woke a sleeper
  kWakes,
  kRequeued,  // blocks sent back to be run again
  kSwept,     // blocks found 1 ms or more after their submission without a pending bit: lost hints
  kViolations,    // states that only their owner may change and that changed all the same
  kOutOfMemory,   // batches refused by the device's memory
  kRunnerErrors,  // batches that ended in any other error
  kPublished,     // model slots made ready
  kRestarts,      // servers started on this segment
  kQueueWaitNs,   // one for each model slot, summed over blocks
  kFailed = kQueueWaitNs + kMaxModels,            // one for each BlockStatus
  kBucketCount = kFailed + 8,                     // one for each bucket: batches ...
  kBucketNs = kBucketCount + kMaxCountedBuckets,  // ... and their time
  kEnd = kBucketNs + kMaxCountedBuckets,
};
static_assert(static_cast<int>(ServerCounter::kEnd) <= 64);

enum class LaneCounter : std::uint8_t {
  kRows,        // answered
  kFullBlocks,  // answered with every row used
  kPartialBlocks,
  kFailedBlocks,
  kRoundTripNs,  // submission to the answer's being seen, summed over blocks
  kSleeps,
  kAsleepNs,
  kTimeouts,  // sleeps that ended with nothing to do
  kAdopted,   // blocks of a dead predecessor taken over
  kEnd,
};
static_assert(static_cast<int>(LaneCounter::kEnd) <= 24);

}  // namespace az
