#pragma once
// ShmEvaluator: a worker's Evaluator over its lane of the segment. Rows are written and read in
// place; nothing is copied. Not a queue: it holds as many batches as the lane has blocks.

#include <array>
#include <cstdint>
#include <span>

#include "engine/ipc/evaluator.h"
#include "engine/ipc/segment.h"

namespace az {

// Confined to the worker's thread. The segment must outlive it.
//
// Waiting. Wait and WaitAny sleep on the lane's bell, write the worker's heartbeat each pass (at
// least every 100 ms) and end early when Segment::NotifyLane was called since the last time they
// said so (kTimeout before the deadline: look at the stop word and the control channel, then wait
// again). No notice is lost between two calls, and each ends at most one of them. While the server
// is down they just wait: only the supervisor gives up.
//
// Reserve gives kTimeout at once when every block is held by batches of the caller: nothing but the
// caller can free one. An answer with another request number than was submitted is a bug and ends
// the process.
class ShmEvaluator final : public Evaluator {
 public:
  // Takes over lane `lane`. What a dead predecessor left answered is freed now; for what it left
  // submitted the server is rung, and those blocks come free when they are answered. REQUIRES: the
  // predecessor was reaped; epoch is its own + 1.
  ShmEvaluator(Segment& segment, std::uint32_t lane, std::uint32_t epoch);
  ~ShmEvaluator() override;  // leaves blocks in flight to a successor

  Result<EvalBatch> Reserve(ModelId model, int rows, Deadline deadline) override;
  Result<void> Submit(EvalBatch& batch) override;  // kInvalid: submitted before
  Result<void> Wait(EvalBatch& batch, Deadline deadline) override;
  Result<int> WaitAny(std::span<EvalBatch* const> batches, Deadline deadline) override;
  int max_rows() const override { return static_cast<int>(segment_.shape().rows); }
  int max_batches() const override { return static_cast<int>(segment_.shape().blocks); }

  // Answered or failed already; never blocks. REQUIRES: submitted.
  bool IsAnswered(const EvalBatch& batch) const;

 protected:
  void Release(int block) override;

 private:
  // What this process knows of a block; the state word knows the rest.
  enum class Use : std::uint8_t {
    kUnused,
    kReserved,   // a batch is being filled
    kSubmitted,  // a batch waits
    kTaken,      // its answer was taken and counted
    kDropped,    // nobody waits: freed when answered
  };

  BlockLine& line(int block) const {
    return segment_.block(lane_, static_cast<std::uint32_t>(block));
  }
  void Adopt();
  void FreeDropped();
  int FindUnused() const;  // -1: none
  bool AnyDropped() const;
  bool AnyDroppedAnswered() const;
  Result<void> TakeAnswer(EvalBatch& batch);
  void CountAnswer(const BlockLine& line);
  // Sleeps until ready() or a notice, at most until the deadline. Error: kTimeout.
  template <class Ready>
  Result<void> SleepUntil(Ready ready, Deadline deadline);

  Segment& segment_;
  const std::uint32_t lane_;
  const std::uint32_t epoch_;
  std::array<Use, kMaxBlocks> uses_{};
  std::uint64_t next_request_;
  std::uint32_t seen_notices_;
};

}  // namespace az
