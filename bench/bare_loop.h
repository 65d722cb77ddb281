#pragma once
// The bare loop: the same runners on the same cores, without server, workers and shared memory. The
// served figures are compared with it.

#include "base/clock.h"
#include "base/result.h"
#include "engine/net/inference_device.h"
#include "games/game.h"

namespace az {

struct BareLoopOptions {
  int runners = 1;      // threads, each with its own runner
  int batch = 128;      // rows per forward
  int block_rows = 32;  // rows per block, as batches are made of blocks from workers
  PlaneShape planes;
  int actions = 0;
};

// Measures rows per second over `window`, with random positions in full batches through model slot
// 0. Blocks for the window and a short warm-up. Fails with the runner's error.
Result<double> MeasureBareLoop(InferenceDevice& device, const BareLoopOptions& options,
                               Duration window);

}  // namespace az
