#pragma once
// FailPoints: the arrows of the block protocol by name, so that a test can stop or kill a process
// exactly there. In production no hook is set and a point costs one predicted branch.

#include <cstdint>

namespace az {

enum class FailPoint : std::uint8_t {
  // worker
  kFilled,     // rows and descriptor written, state still FREE
  kSubmitted,  // state stored, pending bit not set
  kMarked,     // pending bit set, bell not rung
  kRung,
  kAnswerSeen,  // DONE or FAILED seen, state not yet FREE
  kFreed,
  kAdopting,  // a successor, before it rings for what its predecessor left
  // server
  kRequeued,        // at start: one block of an older epoch sent back
  kHinted,          // at start: pending bits set, no lane rung yet
  kCollected,       // pending bits taken, blocks queued
  kAttemptCounted,  // sealing: attempts raised, state still SUBMITTED
  kTaken,           // one block TAKEN
  kRan,             // outputs in the blocks, descriptors not written
  kDescribed,       // a descriptor written, state still TAKEN
  kAnswered,        // one block DONE or FAILED
  kAllAnswered,     // all of the batch, no lane rung yet
  kLaneRung,
  kEnd,
};

// Thread-safe.
class FailPointHook {
 public:
  virtual ~FailPointHook() = default;
  virtual void Reached(FailPoint point) = 0;
};

}  // namespace az
