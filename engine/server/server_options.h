#pragma once
// Options of the inference server: numbers of the memory plan, limits, and what a program may hook
// in.

#include <functional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace az {

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

  // Both are called by the server's threads, may be empty, and must be thread-safe and quick.
  // release_memory: return cached device memory. on_fault: kNoMemory in the smallest bucket,
  // kNotFinite, any other error of a runner.
  std::function<void()> release_memory = {};
  std::function<void(const Error&)> on_fault = {};
};

// kInvalid, naming the number.
Result<void> CheckOptions(const ServerOptions& options);

}  // namespace az
