#pragma once
// BatchRun: one sealed batch on its runner. A batch that fits the largest bucket is one slice; a
// single block that is larger (its bucket was given up for lack of memory) runs in several.

#include <vector>

#include "engine/ipc/batch_runner.h"
#include "engine/server/block_queue.h"

namespace az {

// Confined to the thread that has the batch. Both references outlive it. Exceptions of the runner
// become errors here.
class BatchRun {
 public:
  BatchRun(BatchRunner& runner, const SealedBatch& batch, const SegmentShape& shape)
      : runner_(runner), batch_(batch), shape_(shape) {}

  // Starts the first slice. After an error there is nothing to finish.
  Result<void> Launch();
  // Waits for the slice in flight, runs the others; the version that answered all of them.
  // REQUIRES: Launch succeeded.
  Result<WeightsVersion> Finish();

 private:
  Result<void> LaunchSlice();
  bool IsLast() const { return first_row_ + slice_rows_ >= batch_.rows; }

  BatchRunner& runner_;
  const SealedBatch& batch_;
  const SegmentShape shape_;
  int first_row_ = 0;
  int slice_rows_ = 0;
  WeightsVersion version_ = 0;        // of the first slice
  WeightsVersion slice_version_ = 0;  // of the slice in flight
  BlockView slice_;
};

}  // namespace az
