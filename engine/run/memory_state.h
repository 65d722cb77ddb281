#pragma once
// What a run has learned about its memory: kept in state.json, so that a run that is started again
// does not walk into the same failure. A value.

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/climb.h"
#include "scheduler/plan_input.h"

namespace az {

// What is of one device, the processor or the GPU, and says nothing of the other.
struct DeviceLessons {
  ClimbState train;
  ClimbState inference;
  ClimbState host;
  std::vector<FailedSizes> failed;
  friend bool operator==(const DeviceLessons&, const DeviceLessons&) = default;
};

struct MemoryState {
  // Of the device that the run plans for: phases that it has on the processor beside a GPU are the
  // GPU's.
  std::optional<DeviceKind> device;  // unknown in older runs, and before the first plan
  ClimbState train;                  // rungs below the plan, of training
  ClimbState inference;              // and of self-play and arena
  ClimbState host;                   // of what workers keep in RAM
  std::vector<FailedSizes> failed;
  DeviceLessons elsewhere;  // of the other device, for when the run goes back to it
  // Of builds that did not keep where it was (state.json without on_cpu); PlaceFailures settles it.
  std::vector<FailedSizes> unplaced;
  bool has_restarted_device = false;  // because of a leak: once a run
  std::int64_t counted = -1;          // the last iteration that was looked at for clean ones

  RungsTaken rungs() const {
    return {.train = train.rungs, .inference = inference.rungs, .host = host.rungs};
  }
  friend bool operator==(const MemoryState&, const MemoryState&) = default;
};

}  // namespace az
