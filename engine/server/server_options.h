#pragma once
// Options of the inference server: numbers of the memory plan, limits, and what a program may hook
// in.

#include <functional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/server/memory_ladder.h"

namespace az {

// The device refused a batch for lack of memory. Something was given up and its rows run again, so
// the workers wait a little longer and see nothing of it.
struct ServerOom {
  const Error& error;
  int refused_rows = 0;                    // its bucket
  MemoryStep step = MemoryStep::kCleanUp;  // or kSmallerBucket
  int largest_rows = 0;                    // of the buckets from now on
};

struct ServerOptions {
  std::vector<int> buckets{8, 16, 32, 64, 128};  // rising; the largest is the most rows of a batch
  bool gpu_pipeline = false;  // runners are slots of one asynchronous device, not threads of a CPU
  int min_rows = 1;           // gpu_pipeline: worth waiting `linger` for
  Duration linger = std::chrono::microseconds(150);
  int max_attempts = 3;  // a block whose batches failed the server so often is kPoisoned; 0: never
  // Every lane is looked at so often, hint or no hint.
  Duration sweep = std::chrono::milliseconds(5);

  // What the runner cannot recover from (no memory for the smallest bucket, any error that is not
  // of the model or the outputs): true, on_fault ends this process, so nothing more is sealed and
  // the blocks wait for its successor; false, they are tried again here and fail in the end.
  bool restart_on_fault = false;

  // All are called by the server's threads, may be empty, and must be thread-safe and quick.
  // release_memory: return cached device memory. on_fault: kNoMemory in the smallest bucket,
  // kNotFinite (answers that were: their blocks failed), any other error of a runner.
  std::function<void()> release_memory = {};
  std::function<void(const ServerOom&)> on_out_of_memory = {};
  std::function<void(const Error&)> on_fault = {};
};

// kInvalid, naming the number.
Result<void> CheckOptions(const ServerOptions& options);

}  // namespace az
