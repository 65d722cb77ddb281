#pragma once
// BareLoop: the same runners on the same cores, with nothing around them: no server, no workers, no
// shared memory. What the served figures are compared with.

#include "base/clock.h"
#include "base/result.h"
#include "engine/net/inference_device.h"
#include "games/game.h"

namespace az {

struct BareLoopOptions {
  int runners = 1;      // threads, each with a runner of its own
  int batch = 128;      // rows of a forward
  int block_rows = 32;  // the batch comes in blocks, as it does from workers
  PlaneShape planes;
  int actions = 0;
};

// Rows a second over `window`, of random positions in full batches through model slot 0. Blocks for
// the window and a short warm-up. Fails with the runner's error.
Result<double> MeasureBareLoop(InferenceDevice& device, const BareLoopOptions& options,
                               Duration window);

}  // namespace az
