#pragma once
// The device process's half of a probe: runs batches of one size on made-up rows and tells what
// they took. Which sizes, and what follows from them, is the supervisor's
// (engine/memory/probe_run.h).

#include "base/result.h"
#include "engine/net/inference_device.h"
#include "engine/process/messages.h"
#include "engine/train/learner.h"
#include "games/game.h"
#include "scheduler/device_memory.h"

namespace az {

// Everything outlives the calls it is given to.
struct ProbeBench {
  const PlaneShape& planes;
  const NetShape& net;
  LearnerOptions learner;  // micro_batch and checkpoint_stages are the probe's
  InferenceDevice& inference;
  int runners = 1;                 // of the server: each has a batch of the probe
  DeviceMemory* memory = nullptr;  // null: bytes stay unknown
};

// Blocks for the whole probe; nothing else may use the device meanwhile, and nothing of it is left
// behind but the libraries' caches. Inference uses the best slot, which must hold a model. Running
// out of memory is an answer, not an error. Fails: kInvalid (unknown phase, sizes below 1),
// kNoModel, as Learner::Step and BatchRunner.
Result<ProbedMessage> RunProbe(const ProbeBench& bench, const ProbeMessage& message);

}  // namespace az
